package hbaseconf

import "strconv"

// Value is a property's value in canonical text: the very characters that go
// into hbase-site.xml ("134217728", never "128MB"). Catalogue.Value makes one
// out of what a person wrote and checks it against the property's type and
// range; code that holds a Value may rely on that.
type Value string

// Number returns the value as a number, if it is one. A boolean is 0 or 1.
func (v Value) Number() (float64, bool) {
	switch v {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	x, err := strconv.ParseFloat(string(v), 64)
	return x, err == nil
}
