package hbase

import (
	"testing"
	"time"
)

func TestBackoffIsJavas(t *testing.T) {
	for n, want := range []int{1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200, 200, 200} {
		got := backoff(100*time.Millisecond, n)
		base := time.Duration(want) * 100 * time.Millisecond
		if got < base || got > base+base/100 {
			t.Errorf("after failure %d: %v, not %v and up to 1 %%", n, got, base)
		}
	}
}

func TestThrottleWait(t *testing.T) {
	for message, want := range map[string]time.Duration{
		"number of requests exceeded - wait 1sec, 250ms": 1250 * time.Millisecond,
		"read size limit exceeded - wait 2mins, 3sec":    123 * time.Second,
		"write - wait 250ms":                             250 * time.Millisecond,
		"write - wait soon":                              0,
		"write":                                          0,
		"x - wait 99999999999999999999hrs":               0,
		"x - wait 9999999hrs":                            0,
	} {
		if got, ok := throttleWait(message); got != want || ok != (want > 0) {
			t.Errorf("%q: %v, %v", message, got, ok)
		}
	}
}

func TestShortClassAndFirstLine(t *testing.T) {
	e := classify("org.apache.hadoop.hbase.NotServingRegionException",
		"org.apache.hadoop.hbase.NotServingRegionException: t,,1. is not online\n\tat x.y(Z.java:1)", false, false, "", 0)
	if e.Error() != "NotServingRegionException: t,,1. is not online" || e.action != relocate {
		t.Errorf("%v, %v", e, e.action)
	}
	if e := classify("a.b.Unheard$OfException", "", true, false, "", 0); e.Error() != "OfException" || !e.isFinal() {
		t.Errorf("%v, %v", e, e.action)
	}
	if e := classify("a.b.UnheardOfException", "", false, true, "", 0); e.action != relocate || !e.overloaded {
		t.Errorf("%v, %v", e, e.action)
	}
}
