package load

import (
	"context"
	"slices"
	"testing"
)

// logless is a model that can write without a log. A server that is restarted
// meanwhile loses what was written so.
type logless struct {
	*model
	restarts bool // while the table is being loaded
	servers  string
	unlogged int64 // handles opened
}

func (c *logless) Unlogged(name string, columns, worker int) Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unlogged++
	return c.model.Table(name, columns, worker)
}

func (c *logless) Flush(_ context.Context, table string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, "flush "+table)
	if c.restarts {
		c.servers = "restarted"
		clear(c.tables[table].rows)
	}
	return nil
}

func (c *logless) Servers(context.Context) (string, error) { return c.servers, nil }

func TestFillWithoutTheLog(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		c := &logless{model: newModel(), restarts: restarts}
		filled, err := Fill(t.Context(), c, "r", smallShape, FillOptions{Workers: 3, Batch: 70})
		if err != nil {
			t.Fatal(err)
		}
		if filled.Rows != smallShape.Rows || filled.Loading <= 0 {
			t.Errorf("restart %v: %+v", restarts, filled)
		}
		if n := int64(len(c.tables["r"].rows)); n != smallShape.Rows+1 {
			t.Errorf("restart %v: %d rows in the table", restarts, n)
		}
		if c.unlogged != 3 {
			t.Errorf("restart %v: %d handles without the log", restarts, c.unlogged)
		}
		want := []string{"create r", "flush r", "settle r"}
		if restarts { // made anew, with the log
			want = []string{"create r", "flush r", "drop r", "create r", "settle r"}
		}
		if !slices.Equal(c.calls, want) {
			t.Errorf("restart %v: calls %v", restarts, c.calls)
		}
		if again, err := Fill(t.Context(), c, "r", smallShape, FillOptions{}); err != nil || !again.Reused {
			t.Errorf("restart %v: again: %+v, %v", restarts, again, err)
		}
	}
}
