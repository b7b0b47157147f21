import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Histograms of the operations that end in a window, by kind: microseconds up to an hour with three
 * digits, as hbtune's own.
 */
final class Times {
  private static final long HIGHEST_MICROS = 3_600_000_000L;
  private static final int DIGITS = 3;

  /** Response and service times of one kind. */
  private static final class Kind {
    final Recorder response = new Recorder(1, HIGHEST_MICROS, DIGITS);
    final Recorder service = new Recorder(1, HIGHEST_MICROS, DIGITS);
    final LongAdder responseNanos = new LongAdder();
    final LongAdder serviceNanos = new LongAdder();
  }

  private static final class Window {
    final long from;
    final long to;
    final Kind[] kinds;

    Window(long from, long to, int kinds) {
      this.from = from;
      this.to = to;
      this.kinds = new Kind[kinds];
      for (int i = 0; i < kinds; i++) {
        this.kinds[i] = new Kind();
      }
    }
  }

  private volatile Window window = new Window(Long.MAX_VALUE, Long.MAX_VALUE, 0);

  /** Forgets what was recorded and records what ends between two readings of nanoTime. */
  void window(long from, long to, int kinds) {
    window = new Window(from, to, kinds);
  }

  /** Takes an operation; a negative kind is none of the load's. */
  void record(int kind, long ended, long responseNanos, long serviceNanos) {
    Window w = window;
    if (kind < 0 || kind >= w.kinds.length || ended < w.from || ended >= w.to) {
      return;
    }
    Kind k = w.kinds[kind];
    k.response.recordValue(micros(responseNanos));
    k.service.recordValue(micros(serviceNanos));
    k.responseNanos.add(responseNanos);
    k.serviceNanos.add(serviceNanos);
  }

  private static long micros(long nanos) {
    return Math.min(Math.max(nanos + 500, 0) / 1000, HIGHEST_MICROS);
  }

  /** Writes what was recorded, a kind after the other. */
  void write(Frame reply) {
    Kind[] kinds = window.kinds;
    for (int i = 0; i < kinds.length; i++) {
      Histogram response = kinds[i].response.getIntervalHistogram();
      if (response.getTotalCount() == 0) {
        continue;
      }
      reply.writeByte(i);
      reply.writeLong(response.getTotalCount());
      reply.writeLong(kinds[i].responseNanos.sum());
      reply.writeText(encoded(response));
      reply.writeLong(kinds[i].serviceNanos.sum());
      reply.writeText(encoded(kinds[i].service.getIntervalHistogram()));
    }
  }

  /** V2, compressed, in base 64, as in the logs of HdrHistogram. */
  private static String encoded(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }
}
