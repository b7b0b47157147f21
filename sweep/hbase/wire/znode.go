package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const (
	pbufMagic  = "PBUF"
	znodeMagic = 0xFF
)

// regionOpen is RegionState.State.OPEN.
const regionOpen = 3

// znodeMessage strips what HBase writes before the message in a znode: a mark,
// the writer's id, and the protobuf magic.
func znodeMessage(data []byte) ([]byte, error) {
	if len(data) > 0 && data[0] == znodeMagic {
		if len(data) < 5 {
			return nil, errCut("znode", len(data))
		}
		id := uint64(binary.BigEndian.Uint32(data[1:]))
		if id > uint64(len(data)-5) {
			return nil, errCut("znode", len(data))
		}
		data = data[5+id:]
	}
	msg, ok := bytes.CutPrefix(data, []byte(pbufMagic))
	if !ok {
		return nil, fmt.Errorf("%w: znode of %d bytes without its mark", ErrMalformed, len(data))
	}
	return msg, nil
}

// ParseMetaZnode reads /hbase/meta-region-server: where hbase:meta is, and
// whether it is open there.
func ParseMetaZnode(data []byte) (server ServerName, open bool, err error) {
	msg, err := znodeMessage(data)
	if err != nil {
		return server, false, err
	}
	open = true
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			f.nested(server.parse)
		case 3:
			open = f.uint() == regionOpen
		}
	}
	return server, open, f.err
}

// ParseMasterZnode reads /hbase/master: the active master and the port of its
// web pages.
func ParseMasterZnode(data []byte) (server ServerName, infoPort int, err error) {
	msg, err := znodeMessage(data)
	if err != nil {
		return server, 0, err
	}
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			f.nested(server.parse)
		case 3:
			infoPort = f.int()
		}
	}
	return server, infoPort, f.err
}

// ParseClusterIDZnode reads /hbase/hbaseid.
func ParseClusterIDZnode(data []byte) (string, error) {
	msg, err := znodeMessage(data)
	if err != nil {
		return "", err
	}
	id := ""
	f := fieldsOf(msg)
	for f.next() {
		if f.num == 1 {
			id = f.string()
		}
	}
	return id, f.err
}
