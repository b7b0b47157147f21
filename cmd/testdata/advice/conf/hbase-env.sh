export HBASE_HEAPSIZE=32g
export HBASE_OPTS="$HBASE_OPTS -XX:+UseConcMarkSweepGC"
