package metrics

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Process is what any of HBase's servers, Master or RegionServer, says of the
// Java machine that it runs on.
type Process struct {
	Role         string // "RegionServer" or "Master"
	Start        time.Time
	HeapMaxBytes int64
	// Arguments are those of the Java machine; one may hold a secret.
	Arguments []string
}

// Process reads it at the root URL of a server's web server.
func (c *Client) Process(ctx context.Context, baseURL string) (Process, error) {
	baseURL = strings.TrimRight(baseURL, "/")
	return retry(ctx, func(ctx context.Context) (Process, error) { return c.readProcess(ctx, baseURL) })
}

func (c *Client) readProcess(ctx context.Context, baseURL string) (Process, error) {
	var p Process
	const jvm, runtime, memory = "Hadoop:service=HBase,name=JvmMetrics", "java.lang:type=Runtime", "java.lang:type=Memory"
	for _, pattern := range []string{jvm, runtime, memory} {
		beans, err := c.getBeans(ctx, baseURL, pattern)
		if err != nil {
			return p, err
		}
		if len(beans) == 0 {
			return p, &gapError{baseURL, pattern, ""}
		}
		b := beans[0]
		switch pattern {
		case jvm:
			if p.Role = b.text("tag.ProcessName"); p.Role == "" {
				return p, &gapError{baseURL, pattern, "tag.ProcessName"}
			}
		case runtime:
			millis, found := b.number("StartTime")
			if !found {
				return p, &gapError{baseURL, pattern, "StartTime"}
			}
			p.Start = time.UnixMilli(int64(millis))
			// Without the arguments less can be judged, and nothing wrong.
			_ = json.Unmarshal(b["InputArguments"], &p.Arguments)
		case memory:
			most, _ := b.within("HeapMemoryUsage").number("max")
			p.HeapMaxBytes = int64(most)
		}
	}
	return p, nil
}
