package sweep

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hbtune/hbaseconf"
	"hbtune/sweep/apply"
	"hbtune/sweep/trial"
)

// resumed is a target that a sweep left: what Restore says of it, and what it
// runs with then.
type resumed struct {
	restore error
	running map[string]string
}

func (r resumed) Restore(context.Context) error { return r.restore }

func (r resumed) Effective(_ context.Context, names []string) (hbaseconf.Settings, error) {
	settings := hbaseconf.FromMap(r.running)
	for _, name := range names {
		if _, ok := settings.Get(name); !ok {
			settings = settings.With(hbaseconf.Setting{Name: name})
		}
	}
	return settings, nil
}

func TestOnlyTheSameTargetIsGoneOnWith(t *testing.T) {
	s := trial.Sweep{Baseline: hbaseconf.FromMap(map[string]string{handlers: "30", cache: "0.40"})}
	lost := &apply.NotRestored{Target: "local", Err: &apply.Changed{Path: "/conf/hbase-site.xml"}}
	for name, c := range map[string]struct {
		target  resumed
		want    string
		refused bool
	}{
		"the same":    {target: resumed{running: map[string]string{handlers: "30", cache: "0.4"}}},
		"other value": {resumed{running: map[string]string{handlers: "60", cache: "0.4"}}, handlers + " is 60 and was 30", true},
		"no value":    {resumed{running: map[string]string{handlers: "30"}}, cache + " is unset and was 0.40", true},
		"changed by hand": {
			resumed{restore: &apply.Changed{Path: "/conf/hbase-site.xml"}},
			"/conf/hbase-site.xml was changed since the sweep began: put it back with `hbtune sweep restore --force DIR`", true,
		},
		"not restored": {resumed{restore: lost}, "NOT as it was", false},
	} {
		err := sameTarget(t.Context(), c.target, s, "DIR")
		var refused *Refused
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &refused) != c.refused):
			t.Errorf("%s: %v", name, err)
		}
	}
}
