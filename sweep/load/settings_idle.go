package load

import (
	"strings"

	"hbtune/hbaseconf"
)

// idle tells why a property that YCSB knows does nothing here.
func idle(property string) (why string, known bool) {
	const (
		bounded   = "a run is measured for a time after its warm-up (maxexecutiontime, --duration)"
		whole     = "the table is always loaded as a whole (recordcount)"
		histogram = "latencies go into HDR histograms of three digits"
		output    = "output is chosen by --json, --format and --hlog"
		retries   = "HBase's client retries by its own properties"
		client    = "the client is hbtune's own, or Java's with its hbase-site.xml (--driver, --conf)"
	)
	reasons := map[string]string{
		"workload":                               "all files are of YCSB's CoreWorkload",
		"db":                                     client,
		"dotransactions":                         "hbtune loads the table, then measures",
		"operationcount":                         bounded,
		"insertstart":                            whole,
		"insertcount":                            whole,
		"zeropadding":                            "keys are always sixteen hexadecimal digits",
		"fieldnameprefix":                        "columns are named f0, f1, …",
		"fieldlengthhistogram":                   "histograms of lengths are not read",
		"readallfieldsbyname":                    "HBase returns all columns without being told their names",
		"table":                                  "tables are hbtune's own (--table)",
		"core_workload_insertion_retry_limit":    retries,
		"core_workload_insertion_retry_interval": retries,
		"exporter":                               output,
		"exportfile":                             output,
		"measurementtype":                        histogram,
		"measurement.interval":                   "response and service times are both reported",
		"measurement.raw.output_file":            output,
		"measurement.trackjvm":                   "what the client used is always reported",
		"reportlatencyforeacherror":              "operations that failed are counted by class, their latency is not mixed in",
		"latencytrackederrors":                   "operations that failed are counted by class, their latency is not mixed in",
		"status.interval":                        "a line is written each second",
		"status":                                 "a line is written each second",
		"label":                                  "results carry the name of the file",
		"columnfamily":                           "hbtune's tables have one family of their own",
		"clientbuffering":                        "every operation is sent at once (--driver java --api mutator buffers)",
		"writebuffersize":                        client,
		"durability":                             "the table's own durability holds",
		"usepagefilter":                          "scans tell the server how many rows are wanted",
		"debug":                                  client,
		"principal":                              client,
		"keytab":                                 client,
	}
	if why, known = reasons[property]; known {
		return why, true
	}
	for _, prefix := range []string{"histogram.", "hdrhistogram.", "timeseries.", "raw."} {
		if strings.HasPrefix(property, prefix) {
			return histogram, true
		}
	}
	return "", false
}

// meantBy is the property that a wrong name most likely stands for; empty where
// none is near.
func meantBy(wrong string) string {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(wrong))
	for _, alias := range []struct{ words, property string }{
		{"threads thread numthreads clients concurrency", "threadcount"},
		{"records rows rowcount numrecords recordnumber keys keycount", "recordcount"},
		{"operations ops numoperations opcount", "operationcount"},
		{"fields columns columncount numfields", "fieldcount"},
		{"fieldsize valuesize valuelength columnsize valuebytes", "fieldlength"},
		{"distribution keydistribution requestdist", "requestdistribution"},
		{"rate throughput qps tps targetthroughput", "target"},
		{"duration runtime time maxtime maxexecutionseconds", "maxexecutiontime"},
		{"rmwproportion readmodifywrite", "readmodifywriteproportion"},
		{"writeproportion putproportion update", "updateproportion"},
		{"getproportion read", "readproportion"},
		{"scanlength scansize", "maxscanlength"},
		{"hotspotfraction hotspotdata", "hotspotdatafraction"},
		{"batch batchsize", "hbtune.batch"},
		{"regions splits", "hbtune.regions"},
	} {
		for word := range strings.FieldsSeq(alias.words) {
			if plain == word {
				return alias.property
			}
		}
	}
	best, nearest := "", 4
	for _, d := range settings() {
		if n := hbaseconf.EditDistance(plain, strings.ReplaceAll(d.name, ".", ""), nearest); n < nearest && n*4 <= len(plain) {
			best, nearest = d.name, n
		}
	}
	return best
}
