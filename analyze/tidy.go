package analyze

import (
	"math"
	"reflect"
	"strconv"
)

// tidy rounds every float of a result to six significant digits, so that the
// same input gives the same bytes on every machine, and makes a last check that
// nothing which is not a number leaves the package.
func tidy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			tidy(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				tidy(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			tidy(v.Index(i))
		}
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Array {
			for _, key := range v.MapKeys() {
				pair := reflect.New(v.Type().Elem()).Elem()
				pair.Set(v.MapIndex(key))
				tidy(pair)
				v.SetMapIndex(key, pair)
			}
		}
		if v.Type().Elem().Kind() != reflect.Float64 {
			return
		}
		for _, key := range v.MapKeys() {
			x := v.MapIndex(key).Float()
			if math.IsNaN(x) || math.IsInf(x, 0) {
				v.SetMapIndex(key, reflect.Value{})
				continue
			}
			v.SetMapIndex(key, reflect.ValueOf(significant(x)))
		}
	case reflect.Float64:
		if v.CanSet() {
			v.SetFloat(significant(v.Float()))
		}
	}
}

func significant(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return y
}
