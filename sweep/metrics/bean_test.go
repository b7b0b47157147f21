package metrics

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestPlainNumbers(t *testing.T) {
	cases := map[string]string{
		`{"a": NaN}`:                         `{"a": null}`,
		`{"a": [Infinity, -Infinity, 1]}`:    `{"a": [null, null, 1]}`,
		`{"a": "NaN \" NaN", "b":NaN}`:       `{"a": "NaN \" NaN", "b":null}`,
		`{"a": "\\", "b": -Infinity}`:        `{"a": "\\", "b": null}`,
		`{"a": 1, "Infinity": "-Infinity"}`:  `{"a": 1, "Infinity": "-Infinity"}`,
		`{"a": "ends in a backslash \`:       `{"a": "ends in a backslash \`,
		`{"nothing": "of the kind", "b": 2}`: `{"nothing": "of the kind", "b": 2}`,
	}
	for in, want := range cases {
		if got := string(plainNumbers([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestDecodeBeansRefuses(t *testing.T) {
	for _, body := range []string{"", "<html>", "[]", "{}", `{"beans": 3}`, `{"beans":[1]}`} {
		if _, err := decodeBeans([]byte(body)); err == nil {
			t.Errorf("%q was taken for beans", body)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has more than one line: %q", body, err)
		}
	}
}

func FuzzDecodeBeans(f *testing.F) {
	data, err := os.ReadFile("testdata/2.6.4-jmx.json")
	if err != nil {
		f.Fatal(err)
	}
	var recorded map[string]json.RawMessage
	if err := json.Unmarshal(data, &recorded); err != nil {
		f.Fatal(err)
	}
	for _, beans := range recorded {
		f.Add([]byte(`{"beans":` + string(beans) + `}`))
	}
	f.Add([]byte(`{"beans":[{"a":NaN,"b":{"c":-Infinity}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		beans, err := decodeBeans(body)
		if err != nil {
			return
		}
		for _, b := range beans {
			s := newSnapshot()
			for _, source := range sources() {
				_ = s.take("url", source, b)
			}
			_ = s.identify("url", b)
			_ = b.within("HeapMemoryUsage")
		}
	})
}

func FuzzDecodeConf(f *testing.F) {
	data, err := os.ReadFile("testdata/2.6.4-conf.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"properties":[{"key":"a","value":"b","isFinal":true,"resource":"hbase-site.xml"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		conf, err := decodeConf(body)
		if err == nil && len(conf) == 0 {
			t.Fatal("an empty configuration without an error")
		}
	})
}
