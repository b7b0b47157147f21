package wire

import "google.golang.org/protobuf/encoding/protowire"

// Service names as the connection header asks for them. A connection serves
// one service.
const (
	ClientService     = "ClientService"
	AdminService      = "AdminService"
	MasterService     = "MasterService"
	ClientMetaService = "ClientMetaService"
)

// Priorities of calls. User data must go without one, so that calls compete
// for the handlers that are being measured.
const (
	PriorityNone  = 0
	PriorityAdmin = 100
	PriorityMeta  = 300
)

const (
	authSimple     = 0x50
	keyValueCodec  = "org.apache.hadoop.hbase.codec.KeyValueCodec"
	clientMajor    = 2
	clientMinor    = 6
	clientVersion  = "2.6.4"
	clientIdentity = "hbtune"
)

// AppendPreamble appends all that opens a connection with simple
// authentication: magic, version, authentication code and connection header.
// The server sends nothing back when it agrees; requests may follow at once.
func AppendPreamble(b []byte, service, user string) []byte {
	b = append(b, 'H', 'B', 'a', 's', 0, authSimple)
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	b, mark := begin(b, 1) // user_info
	b = appendString(b, 1, user)
	b = end(b, mark)
	b = appendString(b, 2, service)
	b = appendString(b, 3, keyValueCodec)
	// Without version info, servers answer gets with cells inside protobuf and
	// use older exception classes.
	b, mark = begin(b, 5)
	b = appendString(b, 1, clientVersion)
	b = appendString(b, 2, clientIdentity)
	b = appendString(b, 3, clientIdentity)
	b = appendString(b, 4, clientIdentity)
	b = appendString(b, 5, clientIdentity)
	b = appendString(b, 6, clientIdentity)
	b = appendUint(b, 7, clientMajor)
	b = appendUint(b, 8, clientMinor)
	b = end(b, mark)
	return putLength(b, start)
}

// RequestHeader precedes every request.
type RequestHeader struct {
	CallID        uint32
	Method        string
	Priority      uint32
	TimeoutMillis uint32 // 0: none
}

func (h *RequestHeader) append(b []byte, cellBytes int) []byte {
	b = appendUint(b, 1, uint64(h.CallID))
	b = appendString(b, 3, h.Method)
	b = appendBool(b, 4, true) // the parameter always follows, even when empty
	if cellBytes > 0 {
		var mark int
		b, mark = begin(b, 5)
		b = appendUint(b, 1, uint64(cellBytes))
		b = end(b, mark)
	}
	if h.Priority != PriorityNone {
		b = appendUint(b, 6, uint64(h.Priority))
	}
	if h.TimeoutMillis > 0 {
		b = appendUint(b, 7, uint64(h.TimeoutMillis))
	}
	return b
}

// Exception is what a server sends instead of an answer.
type Exception struct {
	Class      string // full Java class name
	Stack      string // first line is "class: message"
	Host       string // where the region went, of RegionMovedException only
	Port       int
	DoNotRetry bool
	Overloaded bool
}

func parseException(msg []byte) (*Exception, error) {
	e := new(Exception)
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			e.Class = f.string()
		case 2:
			e.Stack = f.string()
		case 3:
			e.Host = f.string()
		case 4:
			e.Port = f.int()
		case 5:
			e.DoNotRetry = f.bool()
		case 6:
			e.Overloaded = f.bool()
		}
	}
	return e, f.err
}

// Reply is a reply frame taken apart; its slices point into the frame.
type Reply struct {
	Exception *Exception
	Message   []byte
	Cells     []byte
}

// ParseReply takes apart a reply frame (without its 4-byte length).
func ParseReply(frame []byte) (Reply, error) {
	var r Reply
	header, rest, err := consumePrefixed(frame)
	if err != nil {
		return r, err
	}
	cellBytes := uint64(0)
	f := fieldsOf(header)
	for f.next() {
		switch f.num {
		case 2:
			if r.Exception, err = parseException(f.bytes()); err != nil {
				return r, err
			}
		case 3:
			meta := fieldsOf(f.bytes())
			for meta.next() {
				if meta.num == 1 {
					cellBytes = meta.uint()
				}
			}
			if meta.err != nil {
				return r, meta.err
			}
		}
	}
	if f.err != nil || r.Exception != nil {
		return r, f.err
	}
	if r.Message, rest, err = consumePrefixed(rest); err != nil {
		return r, err
	}
	if cellBytes > uint64(len(rest)) {
		return r, errCut("cell block", len(rest))
	}
	r.Cells = rest[:cellBytes]
	return r, nil
}

// ReplyCallID reads only the call id of a reply frame: all that must be known to
// hand it to its caller.
func ReplyCallID(frame []byte) (uint32, error) {
	header, _, err := consumePrefixed(frame)
	if err != nil {
		return 0, err
	}
	// Servers write the fields in order, so the first is nearly always it.
	if len(header) > 1 && header[0] == 1<<3 {
		if v, n := protowire.ConsumeVarint(header[1:]); n > 0 {
			return uint32(v), nil
		}
	}
	id := uint32(0)
	f := fieldsOf(header)
	for f.next() {
		if f.num == 1 {
			id = uint32(f.uint())
		}
	}
	return id, f.err
}
