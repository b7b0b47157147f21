package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
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
	pending := "nothing has been asked yet"
	err := poll(ctx, 100*time.Millisecond, func() (bool, error) {
		for i := range s.Daemons {
			d := &s.Daemons[i]
			if !c.running(d) {
				return false, c.startError(d)
			}
			if d.Process.Stopping {
				pending = d.Name + " is being stopped"
				return false, nil
			}
		}
		pending = pendingFor(ctx, s)
		return pending == "", nil
	})
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("waiting for HBase to serve: %s: %w", pending, err)
	}
	return err
}

// pendingFor tells what is still missing for the cluster to serve; nothing if
// it does.
//
// The order matters. A RegionServer that came back is first seen in the Master's
// list under its new start time; by then the recovery of its predecessor is
// among the Master's procedures, and stays there until the last region is open.
// So "known to the Master" and after that "no procedures" means all is open;
// either of them alone would also hold just before the recovery begins.
func pendingFor(ctx context.Context, s *state) string {
	m := s.ofRole(master)[0]
	server, err := readBean(ctx, m.InfoPort, "Hadoop:service=HBase,name=Master,sub=Server")
	if err != nil {
		return "the Master does not answer yet"
	}
	if server.number("masterFinishedInitializationTime") <= 0 {
		return "the Master has not initialised yet"
	}
	live := strings.Split(server.text("tag.liveRegionServers"), ";")
	for _, d := range s.ofRole(regionServer) {
		b, err := readBean(ctx, d.InfoPort, "Hadoop:service=HBase,name=RegionServer,sub=Server")
		if err != nil || b.number("regionServerStartTime") <= 0 || b.number("regionCount") < 0 {
			return d.Name + " does not tell its figures yet"
		}
		if name := b.text("tag.serverName"); !contains(live, name) {
			return "the Master does not know " + d.Name + " yet"
		}
	}
	if isHBase1(s.Version) {
		return inTransition(ctx, m.InfoPort)
	}
	return unsettled(ctx, m.InfoPort)
}

// inTransition tells what the Master of HBase 1 is still busy with: it has no
// procedures for regions, and counts those in transition.
func inTransition(ctx context.Context, infoPort int) string {
	b, err := readBean(ctx, infoPort, "Hadoop:service=HBase,name=Master,sub=AssignmentManger") // so spelt there
	n := b.number("ritCount")
	switch {
	case err != nil || n < 0:
		return "the Master does not count the regions in transition yet"
	case n > 0:
		return fmt.Sprintf("%.0f regions are in transition", n)
	}
	return ""
}

func contains(list []string, want string) bool {
	for _, one := range list {
		if strings.TrimSpace(one) == want {
			return true
		}
	}
	return false
}

// unfinished matches the states of procedures that still run. The page of some
// versions lists finished ones too.
var unfinished = regexp.MustCompile(`>\s*(INITIALIZING|RUNNABLE|WAITING|WAITING_TIMEOUT)\s*<`)

// unsettled tells what the Master is still busy with.
func unsettled(ctx context.Context, infoPort int) string {
	page, err := get(ctx, infoPort, "/procedures.jsp")
	if err != nil || !strings.Contains(page, "Locks") {
		return "the Master does not list its procedures yet"
	}
	if n := len(unfinished.FindAllString(page, -1)); n > 0 {
		return fmt.Sprintf("the Master works on %d procedures", n)
	}
	page, err = get(ctx, infoPort, "/rits.jsp?format=json")
	if err != nil {
		return "the Master does not list the regions in transition yet"
	}
	var answer struct{ Rits []any }
	if err := json.Unmarshal([]byte(page), &answer); err != nil {
		return "the Master does not list the regions in transition yet"
	}
	if n := len(answer.Rits); n > 0 {
		return fmt.Sprintf("%d regions are in transition", n)
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

func (b bean) text(name string) string {
	s, _ := b[name].(string)
	return s
}

// readBean asks one bean of a server's /jmx.
func readBean(ctx context.Context, infoPort int, name string) (bean, error) {
	page, err := get(ctx, infoPort, "/jmx?qry="+url.QueryEscape(name))
	if err != nil {
		return nil, err
	}
	var answer struct{ Beans []bean }
	if err := json.Unmarshal([]byte(page), &answer); err != nil {
		return nil, err
	}
	if len(answer.Beans) != 1 {
		return nil, errors.New("no such bean")
	}
	return answer.Beans[0], nil
}

func get(ctx context.Context, infoPort int, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+loopback(infoPort)+path, nil)
	if err != nil {
		return "", err
	}
	// The servers come and go: a connection kept for later is of no use.
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", path, response.Status)
	}
	return string(body), nil
}
