import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A frame being read, or one being written behind its length. */
final class Frame {
  private ByteBuffer buffer;

  /** Reads what is there. */
  Frame(byte[] content) {
    buffer = ByteBuffer.wrap(content);
  }

  /** Is written to. */
  Frame() {
    buffer = ByteBuffer.allocate(4096);
  }

  byte peek() {
    return buffer.get(buffer.position());
  }

  byte readByte() {
    return buffer.get();
  }

  int readInt() {
    return buffer.getInt();
  }

  long readLong() {
    return buffer.getLong();
  }

  byte[] readBytes() {
    byte[] bytes = new byte[buffer.getInt()];
    buffer.get(bytes);
    return bytes;
  }

  String readText() {
    return new String(readBytes(), StandardCharsets.UTF_8);
  }

  /** Begins a reply, leaving room for its length. */
  void begin(int id) {
    buffer.clear();
    buffer.putInt(0).putInt(id);
  }

  /** Completes the length and returns that of the whole. */
  int end() {
    buffer.putInt(0, buffer.position() - 4);
    return buffer.position();
  }

  byte[] content() {
    return buffer.array();
  }

  void writeByte(int value) {
    room(1);
    buffer.put((byte) value);
  }

  void writeInt(int value) {
    room(4);
    buffer.putInt(value);
  }

  void writeLong(long value) {
    room(8);
    buffer.putLong(value);
  }

  void writeBytes(byte[] bytes, int from, int length) {
    room(4 + length);
    buffer.putInt(length).put(bytes, from, length);
  }

  void writeText(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    writeBytes(bytes, 0, bytes.length);
  }

  private void room(int more) {
    if (buffer.remaining() < more) {
      int position = buffer.position();
      int size = Math.max(2 * buffer.capacity(), position + more);
      buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), size));
      buffer.position(position);
    }
  }
}
