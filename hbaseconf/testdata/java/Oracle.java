import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.StorageSize;
import org.apache.hadoop.hbase.StorageUnit;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.util.MemorySizeUtil;

/** Says what Hadoop and HBase themselves make of the files named on stdin, one JSON document a line. */
public class Oracle {
  interface Read { String of() throws Exception; }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    HBaseConfiguration.create();  // declares HBase's old names
    out.println("{\"heap\":" + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getMax()
        + ",\"user\":" + quote(System.getProperty("user.name"))
        + ",\"home\":" + quote(System.getProperty("user.home")) + "}");
    boolean caches = args.length > 0;
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String path; (path = in.readLine()) != null; ) {
      Configuration c = new Configuration(false);
      c.addResource(new Path(path));
      out.println(caches ? cache(c) : describe(c));
    }
    System.exit(0);  // caches leave threads behind
  }

  static String describe(Configuration c) {
    StringBuilder b = new StringBuilder();
    try {
      c.size();
    } catch (Throwable t) {
      return "{\"error\":" + quote(t.toString()) + "}";
    }
    b.append("{\"properties\":{");
    String comma = "";
    for (Map.Entry<String, String> e : c) {
      String k = e.getKey();
      b.append(comma).append(quote(k)).append(":{\"raw\":").append(quote(c.getRaw(k)));
      add(b, "value", () -> quote(c.get(k)));
      add(b, "int", () -> "" + c.getInt(k, 0));
      add(b, "long", () -> "\"" + c.getLong(k, 0) + "\"");
      add(b, "float", () -> "" + Float.floatToIntBits(c.getFloat(k, 0)));
      add(b, "double", () -> "\"" + Double.doubleToLongBits(c.getDouble(k, 0)) + "\"");
      add(b, "bool", () -> "\"" + c.getBoolean(k, true) + " " + c.getBoolean(k, false) + "\"");
      add(b, "size", () -> "\"" + size(c.get(k)) + "\"");
      b.append("}");
      comma = ",";
    }
    b.append("}");
    add(b, "memstore", () -> "" + Float.floatToIntBits(MemorySizeUtil.getGlobalMemStoreHeapPercent(c, false)));
    add(b, "low_mark", () -> "" + Float.floatToIntBits(MemorySizeUtil.getGlobalMemStoreHeapLowerMark(c, true)));
    add(b, "block_cache", () -> "" + Float.floatToIntBits(MemorySizeUtil.getBlockCacheHeapPercent(c)));
    add(b, "min_free", () -> "" + Float.floatToIntBits(MemorySizeUtil.getRegionServerMinFreeHeapFraction(c)));
    add(b, "fits", () -> {
      MemorySizeUtil.validateRegionServerHeapMemoryAllocation(c);
      MemorySizeUtil.getGlobalMemStoreHeapLowerMark(c, true);  // the RegionServer reads it at start too
      return "true";
    });
    return b.append("}").toString();
  }

  static long size(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return (long) StorageSize.getStorageSize(text, -1, StorageUnit.BYTES);
    }
  }

  /** Whether a RegionServer could share its heap out and make its block cache. */
  static String cache(Configuration c) {
    try {
      MemorySizeUtil.validateRegionServerHeapMemoryAllocation(c);
      BlockCache made = BlockCacheFactory.createBlockCache(c);
      if (made != null) {
        made.shutdown();
      }
      return "{}";
    } catch (Throwable t) {
      Throwable cause = t.getCause() == null ? t : t.getCause();
      return "{\"error\":" + quote(t + " " + cause) + "}";
    }
  }

  static void add(StringBuilder b, String key, Read read) {
    String text;
    try {
      text = read.of();
    } catch (Throwable t) {
      text = "null";
    }
    b.append(",").append(quote(key)).append(":").append(text);
  }

  static String quote(String s) {
    if (s == null) {
      return "null";
    }
    StringBuilder b = new StringBuilder("\"");
    for (char c : s.toCharArray()) {
      b.append(c == '"' || c == '\\' || c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : "" + c);
    }
    return b.append("\"").toString();
  }
}
