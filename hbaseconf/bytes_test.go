package hbaseconf

import "testing"

func TestBytes(t *testing.T) {
	for text, want := range map[string]Bytes{"512MB": 512 << 20, "1000": 1000, "1000B": 1000, "1.5k": 1536, "2g": 2 << 30} {
		got, err := ParseBytes(text)
		if err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
			continue
		}
		if again, err := ParseBytes(got.String()); err != nil || again != got {
			t.Errorf("%s is written %s, which reads %d, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "MB", "10s", "9999999999999g", "1.5B"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		} else {
			t.Log(err)
		}
	}
}
