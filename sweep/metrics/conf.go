package metrics

import (
	"context"
	"encoding/json"
	"fmt"
)

// ConfEntry is one property of a server's running configuration.
type ConfEntry struct {
	Value string
	// Source is where the value was set last: "hbase-site.xml",
	// "hbase-default.xml", or "programmatically" where the server's own code did.
	Source string
	Final  bool
}

// Masked is what servers show in place of values that they keep to themselves.
const Masked = "<masked>"

// Conf reads the configuration that a server runs with; a property that was
// never set and has no default in a file is not in it. After an update of the
// configuration without a restart it shows also what did not take effect: only
// after a restart is it proof.
func (c *Client) Conf(ctx context.Context, baseURL string) (map[string]ConfEntry, error) {
	return retry(ctx, func(ctx context.Context) (map[string]ConfEntry, error) {
		body, err := c.get(ctx, baseURL, "/conf?format=json")
		if err != nil {
			return nil, err
		}
		conf, err := decodeConf(body)
		if err != nil {
			return nil, &fatal{fmt.Errorf("%s/conf: %w", baseURL, err)}
		}
		return conf, nil
	})
}

func decodeConf(body []byte) (map[string]ConfEntry, error) {
	var answer struct {
		Properties []struct {
			Key      string
			Value    string
			IsFinal  bool
			Resource string
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("not the JSON of an HBase server: %w", err)
	}
	if len(answer.Properties) == 0 {
		return nil, fmt.Errorf("not the JSON of an HBase server: it has no properties")
	}
	conf := make(map[string]ConfEntry, len(answer.Properties))
	for _, p := range answer.Properties {
		conf[p.Key] = ConfEntry{p.Value, p.Resource, p.IsFinal}
	}
	return conf, nil
}
