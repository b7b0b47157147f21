package apply

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"hbtune/hbaseconf"
	"hbtune/sweep/trial"
)

var errKilled = errors.New("killed")

// machine uses a target in any order: by one process or many, killed or not,
// while somebody else edits files and stops servers. Killing is a panic here;
// the crash tests do it in earnest.
type machine struct {
	rig     *rig
	local   *Local
	foreign map[string]string // what somebody else wrote, by node
	edits   int
}

// Whatever was done, a restore brings the originals back and overwrites
// nothing that others wrote.
func TestAnySequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{rig: newRigIn(t, memoryFolder(t), "rs1", "rs2"), foreign: map[string]string{}}
		m.begin(t, false)
		// From here on the originals are those.
		if _, _, err := m.local.Apply(t.Context(), variant("baseline")); err != nil {
			t.Fatal(err)
		}
		t.Repeat(map[string]func(*rapid.T){
			"apply":   m.apply,
			"restore": func(t *rapid.T) { m.restore(t, false) },
			"force":   func(t *rapid.T) { m.restore(t, true) },
			"edit":    m.edit,
			"stop":    m.stop,
			"begin":   func(t *rapid.T) { m.begin(t, false) },
			"":        m.check,
		})
		m.begin(t, true)
		if err := m.local.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.rig.checkOriginal(t)
		if err := m.local.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// begin is a new process.
func (m *machine) begin(t *rapid.T, force bool) {
	if m.local != nil {
		if err := m.local.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l, err := newLocal(m.rig.fakeCluster, m.rig.home, m.rig.dir, hbaseconf.Builtin(), Options{Unchecked: true, Force: force})
	if err != nil {
		t.Fatal(err)
	}
	m.local = l
}

// act runs an action in which the process may be killed at some step.
func (m *machine) act(t *rapid.T, action func() error) (killed bool, err error) {
	at := rapid.IntRange(0, 30).Draw(t, "kill at step")
	n := 0
	m.local.step = func(string) {
		if n++; n == at {
			panic(errKilled)
		}
	}
	defer func() {
		m.local.step = func(string) {}
		if r := recover(); r != nil {
			if r != errKilled {
				panic(r)
			}
			killed = true
			m.begin(t, false)
		}
	}()
	return false, action()
}

func (m *machine) apply(t *rapid.T) {
	v := rapid.SampledFrom([]trial.Variant{
		variant("baseline"),
		variant("v1", handlers+"=10"),
		variant("v2", handlers+"=60", "hbase.hregion.memstore.flush.size=67108864"),
		variant("bad", "hfile.block.cache.size=0.7"),
	}).Draw(t, "variant")
	killed, err := m.act(t, func() error {
		_, _, err := m.local.Apply(t.Context(), v)
		return err
	})
	var changed *Changed
	var failed *Fault
	switch {
	case killed:
	case len(m.foreign) > 0:
		if !errors.As(err, &changed) {
			t.Fatalf("apply %s over a foreign change: %v", v.ID, err)
		}
	case v.ID == "bad":
		if !errors.As(err, &failed) {
			t.Fatalf("apply bad: %v", err)
		}
		m.rig.checkOriginal(t)
	case err != nil:
		t.Fatalf("apply %s: %v", v.ID, err)
	default:
		for _, n := range m.rig.nodes {
			p, err := m.rig.process(n)
			if err != nil || len(p.Conf) != 1+v.Settings.Len() {
				t.Fatalf("%s runs with %v, %v", n, p.Conf, err)
			}
			for name, value := range v.Settings.All() {
				if p.Conf[name] != string(value) {
					t.Fatalf("%s runs with %s=%s", n, name, p.Conf[name])
				}
			}
		}
	}
}

func (m *machine) restore(t *rapid.T, force bool) {
	m.begin(t, force)
	killed, err := m.act(t, func() error { return m.local.Restore(t.Context()) })
	if killed && force { // how far it came can't be told: go on as its user would
		m.begin(t, true)
		killed, err = false, m.local.Restore(t.Context())
	}
	var changed *Changed
	switch {
	case killed:
	case len(m.foreign) > 0 && !force:
		if !errors.As(err, &changed) {
			t.Fatalf("restore over a foreign change: %v", err)
		}
	case err != nil:
		t.Fatalf("restore: %v", err)
	default:
		clear(m.foreign)
		m.rig.checkOriginal(t)
	}
}

func (m *machine) edit(t *rapid.T) {
	n := rapid.SampledFrom(m.rig.nodes).Draw(t, "node")
	m.edits++
	text := fmt.Sprintf("<configuration><!-- by hand, %d --></configuration>\n", m.edits)
	if err := os.WriteFile(m.rig.site(n), []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	m.foreign[n] = text
}

func (m *machine) stop(t *rapid.T) {
	n := rapid.SampledFrom(m.rig.nodes).Draw(t, "node")
	if err := m.rig.stop(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// check is what holds at any time.
func (m *machine) check(t *rapid.T) {
	for n, text := range m.foreign {
		if data, err := os.ReadFile(m.rig.site(n)); err != nil || string(data) != text {
			t.Fatalf("what somebody else wrote for %s is now %q, %v", n, data, err)
		}
	}
	if len(m.foreign) == 0 {
		m.rig.afterKill(t)
	}
}
