import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** The thread of one handle: takes requests one by one, does them, and answers. */
final class Handle extends Thread {
  static final byte OPEN = 'O';
  private static final byte GET = 'G';
  private static final byte SCAN = 'S';
  private static final byte PUT = 'P';

  private static final byte[] FAMILY = {'f'};

  private final Worker worker;
  private final int id;
  private final Client.Accessor accessor;
  private final byte[][] columns;
  private final LinkedBlockingQueue<List<Frame>> requests = new LinkedBlockingQueue<>();
  private final Frame reply = new Frame();

  Handle(Worker worker, int id, Client.Accessor accessor, int columns) {
    super("handle-" + id);
    setDaemon(true);
    this.worker = worker;
    this.id = id;
    this.accessor = accessor;
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

  /** Hands over a request; null ends the thread. */
  void give(Frame request) {
    requests.add(request == null ? Collections.emptyList() : Collections.singletonList(request));
  }

  @Override
  public void run() {
    try {
      while (true) {
        List<Frame> next = requests.take();
        if (next.isEmpty()) {
          accessor.close();
          return;
        }
        answer(next.get(0));
      }
    } catch (InterruptedException | IOException e) {
      System.err.println("handle " + id + " ended: " + e);
    }
  }

  private void answer(Frame request) throws IOException {
    long begin = System.nanoTime();
    try {
      List<Result> rows = Collections.emptyList();
      switch (request.readByte()) {
        case GET:
          rows = get(request);
          break;
        case SCAN:
          rows = accessor.scan(scan(request));
          break;
        case PUT:
          List<Put> puts = puts(request);
          begin = System.nanoTime();
          accessor.put(puts);
          break;
        default:
          throw new IOException("a request of unknown kind");
      }
      long took = System.nanoTime() - begin;
      reply.begin(id);
      reply.writeByte(0);
      reply.writeLong(took);
      reply.writeInt(rows.size());
      for (Result row : rows) {
        write(row);
      }
    } catch (IOException | RuntimeException e) {
      reply.begin(id);
      reply.writeByte(1);
      reply.writeLong(System.nanoTime() - begin);
      Throwable cause = root(e);
      reply.writeText(cause.getClass().getSimpleName());
      reply.writeText(String.valueOf(cause.getMessage()));
    }
    worker.reply(reply.content(), reply.end());
  }

  private static Throwable root(Throwable e) {
    while (e.getCause() != null && e.getCause() != e) {
      e = e.getCause();
    }
    return e;
  }

  private List<Result> get(Frame request) throws IOException {
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
      return Collections.singletonList(accessor.get(gets.get(0)));
    }
    return List.of(accessor.getAll(gets));
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

  /** Writes key and values of a row; one that is not there has neither. */
  private void write(Result row) {
    Cell[] cells = row.rawCells();
    if (cells == null) {
      cells = new Cell[0];
    }
    if (cells.length == 0) {
      reply.writeInt(0);
    } else {
      reply.writeBytes(cells[0].getRowArray(), cells[0].getRowOffset(), cells[0].getRowLength());
    }
    reply.writeInt(cells.length);
    for (Cell cell : cells) {
      reply.writeBytes(cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
      reply.writeBytes(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    }
  }
}
