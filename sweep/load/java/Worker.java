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
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;

/**
 * Does what hbtune asks for with HBase's own client. Requests come in on standard input, a frame
 * each; lanes, which are threads, take them in turn and answer on standard output. It ends when the
 * input does.
 *
 * <p>Usage: Worker API QUORUM, where API is table, mutator or async, and QUORUM may be "-" to leave
 * it to the hbase-site.xml on the class path.
 */
public final class Worker {
  /** In place of a handle's number: says that requests may come. */
  private static final int READY = -1;

  /** The same: of the worker itself something is wanted, or it answers. */
  private static final int CONTROL = -2;

  private static final byte TIME = 'T';
  private static final byte LANES = 'L';
  private static final byte WINDOW = 'W';
  private static final byte HISTOGRAMS = 'H';
  private static final byte CONF = 'C';

  /** Lanes while nobody has said how many: enough to look into a table. */
  private static final int LANES_AT_FIRST = 4;

  /** What is to be done for a handle. */
  static final class Request {
    final Handle handle;
    final Frame frame;

    Request(Handle handle, Frame frame) {
      this.handle = handle;
      this.frame = frame;
    }
  }

  /** Ends the lane that takes it. */
  static final Request END = new Request(null, null);

  /** Replies are written whole, by one thread at a time. */
  private final DataOutputStream out =
      new DataOutputStream(new FileOutputStream(FileDescriptor.out));

  private final Configuration conf;
  private final Client client;
  private final Times times = new Times();
  private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
  private final List<Handle> handles = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();
  private final Frame answer = new Frame();
  private int live;
  private volatile long since = System.nanoTime();

  private Worker(Configuration conf, Client client) {
    this.conf = conf;
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    // What libraries print must not get between the frames.
    System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true));
    Configuration conf = HBaseConfiguration.create();
    if (!args[1].equals("-")) {
      conf.set("hbase.zookeeper.quorum", args[1]);
    }
    try (Client client = Client.open(args[0], conf)) {
      new Worker(conf, client).serve();
    }
    System.exit(0);
  }

  Client client() {
    return client;
  }

  Times times() {
    return times;
  }

  /** When the load began: no lane has waited for longer. */
  long since() {
    return since;
  }

  Request next() throws InterruptedException {
    return requests.take();
  }

  private void serve() throws Exception {
    keepLanes(LANES_AT_FIRST);
    answer.begin(READY);
    reply(answer.content(), answer.end());
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16));
    while (true) {
      int length;
      try {
        length = in.readInt();
      } catch (EOFException e) {
        break;
      }
      byte[] content = new byte[length];
      in.readFully(content);
      Frame frame = new Frame(content);
      int id = frame.readInt();
      if (id == CONTROL) {
        control(frame);
      } else if (frame.peek() == Handle.OPEN) {
        frame.readByte();
        open(new Handle(id, frame.readText(), frame.readInt()));
      } else {
        requests.add(new Request(handles.get(id), frame));
      }
    }
    keepLanes(0);
    for (Lane lane : lanes) {
      lane.join(5000);
    }
  }

  private void open(Handle handle) {
    while (handles.size() <= handle.id) {
      handles.add(null);
    }
    handles.set(handle.id, handle);
  }

  private void control(Frame frame) throws IOException {
    answer.begin(CONTROL);
    switch (frame.readByte()) {
      case TIME:
        answer.writeLong(System.nanoTime());
        break;
      case LANES:
        keepLanes(frame.readInt());
        return;
      case WINDOW:
        times.window(frame.readLong(), frame.readLong(), frame.readInt());
        return;
      case HISTOGRAMS:
        times.write(answer);
        break;
      case CONF:
        for (int names = frame.readInt(); names > 0; names--) {
          String value = conf.get(frame.readText());
          answer.writeByte(value == null ? 1 : 0);
          if (value != null) {
            answer.writeText(value);
          }
        }
        break;
      default:
        throw new IOException("a request of unknown kind");
    }
    reply(answer.content(), answer.end());
  }

  /** Begins a load with that many lanes. */
  private void keepLanes(int wanted) {
    since = System.nanoTime();
    for (; live < wanted; live++) {
      Lane lane = new Lane(this);
      lanes.add(lane);
      lane.start();
    }
    for (; live > wanted; live--) {
      requests.add(END);
    }
  }

  /** Sends one reply. */
  void reply(byte[] frame, int length) throws IOException {
    synchronized (out) {
      out.write(frame, 0, length);
    }
  }
}
