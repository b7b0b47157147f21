package wire

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// ServerName identifies one life of a server process.
type ServerName struct {
	Host      string
	Port      int
	StartCode uint64 // milliseconds since 1970 when it started
}

// Addr is what to dial.
func (s ServerName) Addr() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// String is the form that HBase itself writes: host,port,startcode.
func (s ServerName) String() string {
	return fmt.Sprintf("%s,%d,%d", s.Host, s.Port, s.StartCode)
}

// ParseServerName reads HBase's own form.
func ParseServerName(text string) (ServerName, error) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return ServerName{}, fmt.Errorf("%w: server name %q is not host,port,startcode", ErrMalformed, text)
	}
	port, err := strconv.ParseUint(parts[1], 10, 16)
	if err != nil {
		return ServerName{}, fmt.Errorf("%w: port in server name %q", ErrMalformed, text)
	}
	start, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil {
		return ServerName{}, fmt.Errorf("%w: start code in server name %q", ErrMalformed, text)
	}
	return ServerName{Host: parts[0], Port: int(port), StartCode: start}, nil
}

func appendServerName(b []byte, s ServerName) []byte {
	b = appendString(b, 1, s.Host)
	b = appendUint(b, 2, uint64(s.Port))
	return appendUint(b, 3, s.StartCode)
}

func (s *ServerName) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			s.Host = f.string()
		case 2:
			s.Port = f.int()
		case 3:
			s.StartCode = f.uint()
		}
	}
	return f.err
}

// DefaultNamespace holds tables whose names have no namespace.
const DefaultNamespace = "default"

// TableName splits a table's name into namespace and the rest.
func TableName(table string) (namespace, qualifier string) {
	if namespace, qualifier, ok := strings.Cut(table, ":"); ok {
		return namespace, qualifier
	}
	return DefaultNamespace, table
}

// CanonicalTable writes a table's name as hbase:meta does: without the
// namespace where that is the default one.
func CanonicalTable(table string) string {
	if namespace, qualifier := TableName(table); namespace == DefaultNamespace {
		return qualifier
	}
	return table
}

func appendTableName(b []byte, table string) []byte {
	namespace, qualifier := TableName(table)
	b = appendString(b, 1, namespace)
	return appendString(b, 2, qualifier)
}

func appendTable(b []byte, num number, table string) []byte {
	b, mark := begin(b, num)
	return end(appendTableName(b, table), mark)
}

func parseTableName(msg []byte) (string, error) {
	var namespace, qualifier string
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			namespace = f.string()
		case 2:
			qualifier = f.string()
		}
	}
	return CanonicalTable(namespace + ":" + qualifier), f.err
}

// RegionInfo is what hbase:meta says of a region. The region's name, which
// requests address it by, is the row key of its meta row.
type RegionInfo struct {
	ID       uint64
	Table    string
	StartKey []byte
	EndKey   []byte // empty: to the table's end
	Offline  bool
	Split    bool
	Replica  int
}

func (r *RegionInfo) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			r.ID = f.uint()
		case 2:
			f.nested(func(msg []byte) (err error) {
				r.Table, err = parseTableName(msg)
				return err
			})
		case 3:
			r.StartKey = bytes.Clone(f.bytes())
		case 4:
			r.EndKey = bytes.Clone(f.bytes())
		case 5:
			r.Offline = f.bool()
		case 6:
			r.Split = f.bool()
		case 7:
			r.Replica = int(int32(f.uint()))
		}
	}
	return f.err
}

// ParseRegionInfo reads the value of a meta row's info:regioninfo.
func ParseRegionInfo(value []byte) (RegionInfo, error) {
	var r RegionInfo
	msg, ok := bytes.CutPrefix(value, []byte(pbufMagic))
	if !ok {
		return r, fmt.Errorf("%w: region info of %d bytes without its mark", ErrMalformed, len(value))
	}
	return r, r.parse(msg)
}

// AppendRegionSpecifier appends the message that addresses a region. Servers
// ignore its type and always take the value for a full region name.
func AppendRegionSpecifier(b []byte, region []byte) []byte {
	b = appendUint(b, 1, 1)
	return appendBytes(b, 2, region)
}

func appendRegion(b []byte, num number, region []byte) []byte {
	b, mark := begin(b, num)
	return end(AppendRegionSpecifier(b, region), mark)
}

// TableState is a table's state as the master keeps it.
type TableState int

// States of tables.
const (
	TableEnabled TableState = iota
	TableDisabled
	TableDisabling
	TableEnabling
)

func (s TableState) String() string {
	switch s {
	case TableEnabled:
		return "enabled"
	case TableDisabled:
		return "disabled"
	case TableDisabling:
		return "disabling"
	case TableEnabling:
		return "enabling"
	}
	return "state " + strconv.Itoa(int(s))
}

// ParseTableState reads the value of a meta row's table:state.
func ParseTableState(value []byte) (TableState, error) {
	state := TableEnabled
	f := fieldsOf(value)
	for f.next() {
		if f.num == 1 {
			state = TableState(f.int())
		}
	}
	return state, f.err
}

func (r *RegionInfo) append(b []byte) []byte {
	b = appendUint(b, 1, r.ID)
	b = appendTable(b, 2, r.Table)
	b = appendBytes(b, 3, r.StartKey)
	b = appendBytes(b, 4, r.EndKey)
	b = appendBool(b, 5, r.Offline)
	b = appendBool(b, 6, r.Split)
	return appendUint(b, 7, uint64(r.Replica))
}
