import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;

/**
 * Does what hbtune asks for with HBase's own client. Requests come in on standard input, a frame
 * each; every handle has a thread of its own, as the caller has a worker for it, and answers on
 * standard output. It ends when the input does.
 *
 * <p>Usage: Worker API QUORUM, where API is table, mutator or async, and QUORUM may be "-" to leave
 * it to the hbase-site.xml on the class path.
 */
public final class Worker {
  /** In place of a handle's number: says that requests may come. */
  private static final int READY = -1;

  /** Replies are written whole, by one thread at a time. */
  private final DataOutputStream out =
      new DataOutputStream(new FileOutputStream(FileDescriptor.out));

  private final List<Handle> handles = new ArrayList<>();

  public static void main(String[] args) throws Exception {
    // What libraries print must not get between the frames.
    System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true));
    Configuration conf = HBaseConfiguration.create();
    if (!args[1].equals("-")) {
      conf.set("hbase.zookeeper.quorum", args[1]);
    }
    Worker worker = new Worker();
    try (Client client = Client.open(args[0], conf)) {
      Frame ready = new Frame();
      ready.begin(READY);
      worker.reply(ready.content(), ready.end());
      worker.serve(client);
    }
    System.exit(0);
  }

  private void serve(Client client) throws Exception {
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16));
    while (true) {
      int length;
      try {
        length = in.readInt();
      } catch (EOFException e) {
        break;
      }
      byte[] frame = new byte[length];
      in.readFully(frame);
      Frame request = new Frame(frame);
      int id = request.readInt();
      if (request.peek() == Handle.OPEN) {
        request.skip(1);
        Handle handle = new Handle(this, id, client.accessor(request.readText()), request.readInt());
        while (handles.size() <= id) {
          handles.add(null);
        }
        handles.set(id, handle);
        handle.start();
        continue;
      }
      handles.get(id).give(request);
    }
    for (Handle handle : handles) {
      if (handle != null) {
        handle.give(null);
        handle.join(5000);
      }
    }
  }

  /** Sends one reply. */
  void reply(byte[] frame, int length) throws IOException {
    synchronized (out) {
      out.write(frame, 0, length);
    }
  }
}
