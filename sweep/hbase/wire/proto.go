package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed is wrapped by every decoding error.
var ErrMalformed = errors.New("malformed message")

// number numbers a field.
type number = protowire.Number

func appendUint(b []byte, num number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
}

func appendBool(b []byte, num number, v bool) []byte {
	return appendUint(b, num, protowire.EncodeBool(v))
}

func appendBytes(b []byte, num number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
}

func appendString(b []byte, num number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), v)
}

// begin opens a nested message; end must be given the mark it returns. One
// byte is kept free for the length, which is enough for most messages; end
// moves the body when it is not.
func begin(b []byte, num number) (_ []byte, mark int) {
	return beginPrefixed(protowire.AppendTag(b, num, protowire.BytesType))
}

// beginPrefixed opens a message that only its length precedes.
func beginPrefixed(b []byte) (_ []byte, mark int) {
	b = append(b, 0)
	return b, len(b)
}

func end(b []byte, mark int) []byte {
	n := len(b) - mark
	if n < 0x80 {
		b[mark-1] = byte(n)
		return b
	}
	extra := protowire.SizeVarint(uint64(n)) - 1
	for range extra {
		b = append(b, 0)
	}
	copy(b[mark+extra:], b[mark:mark+n])
	protowire.AppendVarint(b[:mark-1], uint64(n))
	return b
}

// fields walks the fields of one message:
//
//	for f := fieldsOf(msg); f.next(); {
//		switch f.num { case 1: x = f.bytes() }
//	}
//
// A field of another wire type than the one asked for is an error, not a zero.
type fields struct {
	rest  []byte
	num   number
	typ   protowire.Type
	value uint64 // of varint and fixed fields
	data  []byte // of length-delimited fields
	err   error
}

func fieldsOf(msg []byte) fields { return fields{rest: msg} }

func (f *fields) next() bool {
	if f.err != nil || len(f.rest) == 0 {
		return false
	}
	num, typ, n := protowire.ConsumeTag(f.rest)
	if n < 0 {
		return f.fail(protowire.ParseError(n))
	}
	f.num, f.typ, f.value, f.data = num, typ, 0, nil
	f.rest = f.rest[n:]
	switch typ {
	case protowire.VarintType:
		f.value, n = protowire.ConsumeVarint(f.rest)
	case protowire.BytesType:
		f.data, n = protowire.ConsumeBytes(f.rest)
	case protowire.Fixed64Type:
		f.value, n = protowire.ConsumeFixed64(f.rest)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(f.rest)
		f.value = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(num, typ, f.rest)
	}
	if n < 0 {
		return f.fail(protowire.ParseError(n))
	}
	f.rest = f.rest[n:]
	return true
}

func (f *fields) fail(err error) bool {
	f.err = fmt.Errorf("%w: %w", ErrMalformed, err)
	return false
}

func (f *fields) want(typ protowire.Type) bool {
	if f.typ != typ && f.err == nil {
		f.err = fmt.Errorf("%w: field %d has wire type %d, not %d", ErrMalformed, f.num, f.typ, typ)
	}
	return f.typ == typ
}

func (f *fields) bytes() []byte {
	f.want(protowire.BytesType)
	return f.data
}

func (f *fields) string() string { return string(f.bytes()) }

func (f *fields) uint() uint64 {
	f.want(protowire.VarintType)
	return f.value
}

func (f *fields) int() int { return int(f.uint()) }

func (f *fields) bool() bool { return f.uint() != 0 }

// nested decodes a nested message with parse.
func (f *fields) nested(parse func([]byte) error) {
	if f.want(protowire.BytesType) {
		if err := parse(f.data); err != nil && f.err == nil {
			f.err = fmt.Errorf("field %d: %w", f.num, err)
		}
	}
}

// consumePrefixed splits a message preceded by its length off b.
func consumePrefixed(b []byte) (msg, rest []byte, err error) {
	msg, n := protowire.ConsumeBytes(b)
	if n < 0 {
		return nil, nil, fmt.Errorf("%w: %w", ErrMalformed, protowire.ParseError(n))
	}
	return msg, b[n:], nil
}
