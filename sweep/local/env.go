package local

import (
	"errors"
	"fmt"
	"io/fs"

	"hbtune/hbaseconf/envfile"
)

// envFile is the part of hbase-env.sh that a daemon's start reads.
const envFile = "hbase-env.sh"

// envProcess is the kind of process that a daemon is to hbase-env.sh.
var envProcess = map[role]envfile.Process{
	zooKeeper: envfile.ZooKeeper, master: envfile.Master, regionServer: envfile.RegionServer,
	nameNode: envfile.NameNode, dataNode: envfile.DataNode,
}

// javaFlags is what the hbase-env.sh at path gives the Java machine of a daemon;
// a missing file gives nothing. The file is read and never run. What only a
// shell could tell is therefore refused, by line: passing over it would start a
// server with other flags than the file says.
func javaFlags(path string, r role) ([]string, error) {
	env, err := envfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if doubt := env.Doubt(); doubt != nil {
		return nil, fmt.Errorf("%s: %w; the file is read here, not run: write NAME=value lines with plain values", path, doubt)
	}
	var flags []string
	for _, flag := range env.Flags(envProcess[r]) {
		flags = append(flags, flag.Text)
	}
	return flags, nil
}
