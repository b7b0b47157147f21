import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** A table with its columns, as one of the caller's workers speaks of it: makes calls of requests. */
final class Handle {
  static final byte OPEN = 'O';
  private static final byte GET = 'G';
  private static final byte SCAN = 'S';
  private static final byte PUT = 'P';

  private static final byte[] FAMILY = {'f'};

  final int id;
  final String table;
  private final byte[][] columns;

  /** A request that has been read. */
  interface Call {
    List<Result> on(Client.Accessor accessor) throws IOException;
  }

  Handle(int id, String table, int columns) {
    this.id = id;
    this.table = table;
    this.columns = names(columns);
  }

  /** The qualifiers of a table's columns, as hbtune names them. */
  private static byte[][] names(int columns) {
    byte[][] names = new byte[Math.max(columns, 1)][];
    int width = Integer.toString(Math.max(columns - 1, 0)).length();
    for (int i = 0; i < names.length; i++) {
      String name = columns <= 1 ? "v" : "f" + String.format("%0" + width + "d", i);
      names[i] = name.getBytes(StandardCharsets.UTF_8);
    }
    return names;
  }

  /** Reads what is asked for. */
  Call call(byte what, Frame request) throws IOException {
    switch (what) {
      case GET:
        return get(request);
      case SCAN:
        Scan scan = scan(request);
        return accessor -> accessor.scan(scan);
      case PUT:
        List<Put> puts = puts(request);
        return accessor -> {
          accessor.put(puts);
          return Collections.emptyList();
        };
      default:
        throw new IOException("a request of unknown kind");
    }
  }

  private Call get(Frame request) {
    int first = request.readInt();
    int count = request.readInt();
    int keys = request.readInt();
    List<Get> gets = new ArrayList<>(keys);
    for (int i = 0; i < keys; i++) {
      Get get = new Get(request.readBytes());
      if (!everything(count)) {
        for (int column = first; column < first + count; column++) {
          get.addColumn(FAMILY, columns[column]);
        }
      }
      gets.add(get);
    }
    if (keys == 1) {
      return accessor -> Collections.singletonList(accessor.get(gets.get(0)));
    }
    return accessor -> List.of(accessor.getAll(gets));
  }

  private Scan scan(Frame request) {
    int first = request.readInt();
    int count = request.readInt();
    Scan scan =
        new Scan()
            .withStartRow(request.readBytes())
            .withStopRow(request.readBytes())
            .setLimit(request.readInt());
    if (!everything(count)) {
      for (int column = first; column < first + count; column++) {
        scan.addColumn(FAMILY, columns[column]);
      }
    }
    return scan;
  }

  private boolean everything(int count) {
    return count == columns.length && count > 1;
  }

  private List<Put> puts(Frame request) {
    int rows = request.readInt();
    List<Put> puts = new ArrayList<>(rows);
    for (int i = 0; i < rows; i++) {
      Put put = new Put(request.readBytes());
      int first = request.readInt();
      int values = request.readInt();
      for (int column = first; column < first + values; column++) {
        put.addColumn(FAMILY, columns[column], request.readBytes());
      }
      puts.add(put);
    }
    return puts;
  }
}
