import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;

/**
 * One of the threads that use HBase's client, with accessors of its own as an application's thread
 * has. It takes whatever request is next, does it, times it, and answers; the caller keeps a few
 * requests waiting, so that lanes don't wait for the pipe.
 */
final class Lane extends Thread {
  /** In place of an intended start: when this lane has ended its last operation. */
  private static final long WHEN_FREE = Long.MIN_VALUE;

  private final Worker worker;
  private final Map<String, Client.Accessor> accessors = new HashMap<>();
  private final Frame reply = new Frame();
  private long free = System.nanoTime();

  Lane(Worker worker) {
    super("lane");
    setDaemon(true);
    this.worker = worker;
  }

  @Override
  public void run() {
    try {
      for (Worker.Request next = worker.next(); next != Worker.END; next = worker.next()) {
        answer(next.handle, next.frame);
      }
      for (Client.Accessor accessor : accessors.values()) {
        accessor.close();
      }
    } catch (InterruptedException | IOException e) {
      System.err.println("a lane ended: " + e);
    }
  }

  private Client.Accessor accessor(String table) throws IOException {
    Client.Accessor accessor = accessors.get(table);
    if (accessor == null) {
      accessor = worker.client().accessor(table);
      accessors.put(table, accessor);
    }
    return accessor;
  }

  private void answer(Handle handle, Frame request) throws IOException {
    byte what = request.readByte();
    int kind = request.readByte();
    long intended = request.readLong();
    if (intended == WHEN_FREE) {
      intended = Math.max(free, worker.since());
    }
    long sent = System.nanoTime();
    try {
      Handle.Call call = handle.call(what, request);
      Client.Accessor accessor = accessor(handle.table);
      sent = System.nanoTime();
      List<Result> rows = call.on(accessor);
      begin(handle, 0, intended, sent);
      worker.times().record(kind, free, free - intended, free - sent);
      reply.writeInt(rows.size());
      for (Result row : rows) {
        write(row);
      }
    } catch (IOException | RuntimeException e) {
      begin(handle, 1, intended, sent);
      Throwable cause = root(e);
      reply.writeText(cause.getClass().getSimpleName());
      reply.writeText(String.valueOf(cause.getMessage()));
    }
    worker.reply(reply.content(), reply.end());
  }

  /** Notes the end of the operation and begins the reply with its times. */
  private void begin(Handle handle, int status, long intended, long sent) {
    free = System.nanoTime();
    reply.begin(handle.id);
    reply.writeByte(status);
    reply.writeLong(free);
    reply.writeLong(free - intended);
    reply.writeLong(free - sent);
  }

  private static Throwable root(Throwable e) {
    while (e.getCause() != null && e.getCause() != e) {
      e = e.getCause();
    }
    return e;
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
