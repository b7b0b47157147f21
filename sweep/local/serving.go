package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// WaitServing returns when the Master has initialised, every RegionServer
// answers with figures and every region is open. A daemon that ends meanwhile
// makes a *StartError at once; one that hangs is bounded by ctx.
func (c *Cluster) WaitServing(ctx context.Context) error {
	s, err := readState(c.dir)
	if err != nil {
		return err
	}
	return c.waitServing(ctx, s)
}

func (c *Cluster) waitServing(ctx context.Context, s *state) error {
	pending := "nothing yet"
	err := poll(ctx, 100*time.Millisecond, func() (bool, error) {
		for i := range s.Daemons {
			if d := &s.Daemons[i]; !c.running(d) {
				return false, c.startError(d)
			}
		}
		pending = c.pending(ctx, s)
		return pending == "", nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("waiting for HBase to serve: %s: %w", pending, err)
	}
	return err
}

// pending tells what is still missing for the cluster to serve; nothing if it
// does.
func (c *Cluster) pending(ctx context.Context, s *state) string {
	m := s.ofRole(master)[0]
	server, err := readBean(ctx, m.InfoPort, "Hadoop:service=HBase,name=Master,sub=Server")
	if err != nil {
		return "the Master does not answer yet"
	}
	if server.number("masterFinishedInitializationTime") <= 0 {
		return "the Master has not initialised yet"
	}
	servers := s.ofRole(regionServer)
	regions := 0.0
	for _, d := range servers {
		b, err := readBean(ctx, d.InfoPort, "Hadoop:service=HBase,name=RegionServer,sub=Server")
		if err != nil || b.number("regionServerStartTime") <= 0 {
			return d.Name + " does not tell its figures yet"
		}
		regions += b.number("regionCount")
	}
	if live := server.number("numRegionServers"); live != float64(len(servers)) {
		return fmt.Sprintf("the Master knows %v of %d RegionServers", live, len(servers))
	}
	if regions == 0 {
		return "no region is open yet"
	}
	assignment, err := readBean(ctx, m.InfoPort, "Hadoop:service=HBase,name=Master,sub=AssignmentManager")
	if err != nil {
		return "the Master does not tell its figures yet"
	}
	if n := assignment.number("ritCount"); n != 0 {
		return fmt.Sprintf("%v regions are in transition", n)
	}
	return ""
}

type bean map[string]any

// number returns an attribute, or -1 if it is not there: servers leave gaps
// while they build up their figures.
func (b bean) number(name string) float64 {
	if x, ok := b[name].(float64); ok {
		return x
	}
	return -1
}

// readBean asks one bean of a server's /jmx.
func readBean(ctx context.Context, port int, name string) (bean, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	url := "http://" + loopback(port) + "/jmx?qry=" + url.QueryEscape(name)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct{ Beans []bean }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if len(answer.Beans) != 1 {
		return nil, errors.New("no such bean")
	}
	return answer.Beans[0], nil
}
