package wire

import "math"

// ClusterStatus is what the master says of the cluster.
type ClusterStatus struct {
	Version             string
	ClusterID           string
	Master              ServerName
	BackupMasters       []ServerName
	Live                []ServerLoad
	Dead                []ServerName
	RegionsInTransition int
	BalancerOn          bool
	MasterInfoPort      int
}

// ServerLoad is what a RegionServer last reported to the master.
type ServerLoad struct {
	Server        ServerName
	InfoPort      int
	RequestsPerS  uint64
	Requests      uint64
	UsedHeapMB    int
	MaxHeapMB     int
	ReportStartMS uint64
	ReportEndMS   uint64
	Regions       []RegionLoad
}

// RegionLoad is what a RegionServer last reported of a region.
type RegionLoad struct {
	Name             string
	Stores           int
	StoreFiles       int
	StoreFileSizeMB  int
	MemStoreSizeMB   int
	Reads            uint64
	Writes           uint64
	CompactingCells  uint64
	CompactedCells   uint64
	DataLocality     float64
	Compaction       CompactionState
	LastMajorCompact uint64
}

// AppendClusterStatus appends the parameter of GetClusterStatus: everything.
func AppendClusterStatus(b []byte) []byte { return AppendEmpty(b) }

// ParseClusterStatus reads the answer to GetClusterStatus.
func ParseClusterStatus(reply Reply) (*ClusterStatus, error) {
	status := &ClusterStatus{MasterInfoPort: -1}
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			f.nested(status.parse)
		}
	}
	return status, f.err
}

func (s *ClusterStatus) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			s.Version = firstString(&f)
		case 2:
			var load ServerLoad
			f.nested(load.parse)
			s.Live = append(s.Live, load)
		case 3:
			var name ServerName
			f.nested(name.parse)
			s.Dead = append(s.Dead, name)
		case 4:
			s.RegionsInTransition++
		case 5:
			s.ClusterID = firstString(&f)
		case 7:
			f.nested(s.Master.parse)
		case 8:
			var name ServerName
			f.nested(name.parse)
			s.BackupMasters = append(s.BackupMasters, name)
		case 9:
			s.BalancerOn = f.bool()
		case 10:
			s.MasterInfoPort = int(int32(f.uint()))
		}
	}
	return f.err
}

// firstString reads a nested message that is one string.
func firstString(f *fields) string {
	text := ""
	f.nested(func(msg []byte) error {
		inner := fieldsOf(msg)
		for inner.next() {
			if inner.num == 1 {
				text = inner.string()
			}
		}
		return inner.err
	})
	return text
}

func (l *ServerLoad) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			f.nested(l.Server.parse)
		case 2:
			f.nested(l.parseLoad)
		}
	}
	return f.err
}

func (l *ServerLoad) parseLoad(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			l.RequestsPerS = f.uint()
		case 2:
			l.Requests = f.uint()
		case 3:
			l.UsedHeapMB = f.int()
		case 4:
			l.MaxHeapMB = f.int()
		case 5:
			var region RegionLoad
			f.nested(region.parse)
			l.Regions = append(l.Regions, region)
		case 7:
			l.ReportStartMS = f.uint()
		case 8:
			l.ReportEndMS = f.uint()
		case 9:
			l.InfoPort = f.int()
		}
	}
	return f.err
}

func (r *RegionLoad) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			spec := fieldsOf(f.bytes())
			for spec.next() {
				if spec.num == 2 {
					r.Name = spec.string()
				}
			}
			if spec.err != nil {
				return spec.err
			}
		case 2:
			r.Stores = f.int()
		case 3:
			r.StoreFiles = f.int()
		case 5:
			r.StoreFileSizeMB = f.int()
		case 6:
			r.MemStoreSizeMB = f.int()
		case 8:
			r.Reads = f.uint()
		case 9:
			r.Writes = f.uint()
		case 10:
			r.CompactingCells = f.uint()
		case 11:
			r.CompactedCells = f.uint()
		case 16:
			r.DataLocality = float64(math.Float32frombits(uint32(f.value)))
		case 17:
			r.LastMajorCompact = f.uint()
		case 27:
			r.Compaction = CompactionState(f.int())
		}
	}
	return f.err
}
