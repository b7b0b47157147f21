package hbase

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

func scanAll(t *testing.T, tb *Table, scan *Scan) []string {
	t.Helper()
	s := tb.Scan(context.Background(), scan)
	defer s.Close()
	var rows []string
	for s.Next() {
		rows = append(rows, string(s.Result().Row()))
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return rows
}

func TestScanRanges(t *testing.T) {
	f := newFake(t, 2, "t", "030", "060")
	var all []string
	for i := range 100 {
		row := fmt.Sprintf("%03d", i)
		f.rows[row] = "v" + row
		all = append(all, row)
	}
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	tests := []struct {
		name string
		scan Scan
		want []string
	}{
		{"all", Scan{}, all},
		{"range", Scan{StartRow: []byte("025"), StopRow: []byte("065")}, all[25:65]},
		{"to a region's end", Scan{StartRow: []byte("025"), StopRow: []byte("030")}, all[25:30]},
		{"after start", Scan{StartRow: []byte("025"), ExclusiveStart: true, StopRow: []byte("027")}, all[26:27]},
		{"limit", Scan{Limit: 33}, all[:33]},
		{"limit of a page", Scan{Limit: scanPage}, all[:scanPage]},
		{"rows per call", Scan{RowsPerCall: 3, Limit: 40}, all[:40]},
		{"reversed", Scan{Reversed: true}, reversed},
		{"reversed from row", Scan{Reversed: true, StartRow: []byte("059")}, reversed[40:]},
		{"reversed range", Scan{Reversed: true, StartRow: []byte("060"), StopRow: []byte("030")}, reversed[39:69]},
		{"reversed after region start", Scan{Reversed: true, StartRow: []byte("060"), ExclusiveStart: true, Limit: 2}, reversed[40:42]},
		{"empty", Scan{StartRow: []byte("x")}, nil},
	}
	tb := f.client(Config{}).Table("t")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := scanAll(t, tb, &test.scan); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// Whatever happens to its scanner, a scan gives every row once.
func TestScanGoesOnAfterFaults(t *testing.T) {
	faults := map[string]*fakeReply{
		"scanner lost":  {exception: "UnknownScannerException", doNotRetry: true},
		"scanner reset": {exception: "exceptions.ScannerResetException", doNotRetry: true},
		"moved":         {exception: "NotServingRegionException"},
		"overloaded":    {exception: "CallQueueTooBigException"},
		"hang up":       {hangUp: true},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, 1, "t", "050")
			var want []string
			for i := range 100 {
				row := fmt.Sprintf("%03d", i)
				f.rows[row] = row
				want = append(want, row)
			}
			calls := 0
			tb := f.client(Config{}).Table("t")
			for _, reversed := range []bool{false, true} {
				if err := tb.Prepare(context.Background()); err != nil {
					t.Fatal(err)
				}
				f.mu.Lock()
				f.answer = func(call *fakeCall) *fakeReply {
					if call.method == "Scan" && call.param.sub(1).str(2) != metaRegion {
						if calls++; calls%3 == 0 {
							return fault
						}
					}
					return nil
				}
				f.mu.Unlock()
				got := scanAll(t, tb, &Scan{Reversed: reversed})
				if reversed {
					slices.Reverse(got)
				}
				if !slices.Equal(got, want) {
					t.Errorf("reversed %v: got %v", reversed, got)
				}
			}
		})
	}
}
