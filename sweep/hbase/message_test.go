package hbase

import "google.golang.org/protobuf/encoding/protowire"

// message is a protocol buffer taken apart: the values of each field.
type message map[protowire.Number][]value

type value struct {
	data []byte
	num  uint64
}

func parseMessage(b []byte) message {
	m := message{}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		b = b[n:]
		var v value
		if typ == protowire.BytesType {
			v.data, n = protowire.ConsumeBytes(b)
		} else {
			v.num, n = protowire.ConsumeVarint(b)
		}
		if n < 0 {
			panic("the client sent a message that cannot be read")
		}
		m[num] = append(m[num], v)
		b = b[n:]
	}
	return m
}

func (m message) last(num protowire.Number) value {
	if v := m[num]; len(v) > 0 {
		return v[len(v)-1]
	}
	return value{}
}

func (m message) num(num protowire.Number) uint64  { return m.last(num).num }
func (m message) str(num protowire.Number) string  { return string(m.last(num).data) }
func (m message) sub(num protowire.Number) message { return parseMessage(m.last(num).data) }

func appendNum(b []byte, num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
}

func appendBlob(b []byte, num protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
}
