#!/usr/bin/env bash
# Environment of the daemons.

export JAVA_HOME=/usr/lib/jvm/java-17-openjdk
export HBASE_LOG_DIR=/var/log/hbase
export HBASE_PID_DIR=${HBASE_PID_DIR:-/var/run/hbase}
export HBASE_MANAGES_ZK=false
export HBASE_HEAPSIZE=4g

# Garbage collection, and a log of it.
HBASE_GC_FLAGS="-XX:+UseG1GC -XX:MaxGCPauseMillis=100 -XX:+ParallelRefProcEnabled \
  -XX:InitiatingHeapOccupancyPercent=65 -XX:+AlwaysPreTouch"
if [ -d "$HBASE_LOG_DIR" ]; then
  HBASE_GC_FLAGS="$HBASE_GC_FLAGS -Xlog:gc*:file=$HBASE_LOG_DIR/gc-%p.log:time,uptime:filecount=10,filesize=50m"
fi

export HBASE_OPTS="$HBASE_OPTS -Djava.net.preferIPv4Stack=true -Djava.security.auth.login.config=$HBASE_CONF_DIR/jaas.conf"
export HBASE_MASTER_OPTS="$HBASE_MASTER_OPTS $HBASE_GC_FLAGS -Xms4g -Xmx4g"
export HBASE_REGIONSERVER_OPTS="$HBASE_REGIONSERVER_OPTS $HBASE_GC_FLAGS -Xms31g -XX:MaxDirectMemorySize=40g"
export HBASE_REGIONSERVER_OPTS="$HBASE_REGIONSERVER_OPTS -Xmx31g"
