package wire

// ParseMetaLocation reads the answer to GetMetaRegionLocations: where
// hbase:meta is; false if it is nowhere at the moment.
func ParseMetaLocation(reply Reply) (server ServerName, ok bool, err error) {
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num != 1 || ok {
			continue
		}
		var region RegionInfo
		var at ServerName
		location := fieldsOf(f.bytes())
		for location.next() {
			switch location.num {
			case 1:
				location.nested(region.parse)
			case 2:
				location.nested(at.parse)
			}
		}
		if location.err != nil {
			return server, false, location.err
		}
		if region.Replica == 0 && at.Host != "" {
			server, ok = at, true
		}
	}
	return server, ok, f.err
}

// ParseActiveMaster reads the answer to GetActiveMaster; false if there is none.
func ParseActiveMaster(reply Reply) (server ServerName, ok bool, err error) {
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			f.nested(server.parse)
			ok = true
		}
	}
	return server, ok, f.err
}
