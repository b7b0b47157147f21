package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// bean is one MBean as /jmx prints it.
type bean map[string]json.RawMessage

// decodeBeans reads the answer of /jmx.
func decodeBeans(body []byte) ([]bean, error) {
	var answer struct {
		Beans []bean `json:"beans"`
	}
	if err := json.Unmarshal(plainNumbers(body), &answer); err != nil {
		return nil, fmt.Errorf("not the JSON of an HBase server: %w", err)
	}
	if answer.Beans == nil {
		return nil, errors.New("not the JSON of an HBase server: it has no beans")
	}
	return answer.Beans, nil
}

// plainNumbers replaces the NaN and Infinity that servers print, which JSON does
// not know, by null.
func plainNumbers(body []byte) []byte {
	if !bytes.Contains(body, []byte("NaN")) && !bytes.Contains(body, []byte("Infinity")) {
		return body
	}
	out := make([]byte, 0, len(body))
	inString := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\' && i+1 < len(body):
			out = append(out, c, body[i+1])
			i++
			continue
		case c == '"':
			inString = !inString
		case !inString:
			if n := notANumber(body[i:]); n > 0 {
				out = append(out, "null"...)
				i += n - 1
				continue
			}
		}
		out = append(out, body[i])
	}
	return out
}

func notANumber(text []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// number returns an attribute that is a number.
func (b bean) number(attribute string) (float64, bool) {
	raw, found := b[attribute]
	if !found {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	return x, err == nil
}

// within returns a composite attribute.
func (b bean) within(attribute string) bean {
	var inner bean
	if json.Unmarshal(b[attribute], &inner) != nil {
		return nil
	}
	return inner
}

func (b bean) text(attribute string) string {
	var s string
	if json.Unmarshal(b[attribute], &s) != nil {
		return ""
	}
	return s
}
