import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** One of HBase's client interfaces; all handles share its connection. */
abstract class Client implements AutoCloseable {
  /** What one handle uses of it, on one table. */
  interface Accessor {
    Result get(Get get) throws IOException;

    Result[] getAll(List<Get> gets) throws IOException;

    List<Result> scan(Scan scan) throws IOException;

    void put(List<Put> puts) throws IOException;

    void close() throws IOException;
  }

  abstract Accessor accessor(String table) throws IOException;

  static Client open(String api, Configuration conf) throws Exception {
    switch (api) {
      case "table":
        return new Blocking(ConnectionFactory.createConnection(conf), false);
      case "mutator":
        return new Blocking(ConnectionFactory.createConnection(conf), true);
      case "async":
        return new Asynchronous(ConnectionFactory.createAsyncConnection(conf).get());
      default:
        throw new IllegalArgumentException("no such API: " + api);
    }
  }

  /** Connection with Table, and with BufferedMutator for puts where that is wanted. */
  private static final class Blocking extends Client {
    private final Connection connection;
    private final boolean buffered;

    Blocking(Connection connection, boolean buffered) {
      this.connection = connection;
      this.buffered = buffered;
    }

    @Override
    Accessor accessor(String name) throws IOException {
      Table table = connection.getTable(TableName.valueOf(name));
      BufferedMutator mutator =
          buffered ? connection.getBufferedMutator(TableName.valueOf(name)) : null;
      return new Accessor() {
        @Override
        public Result get(Get get) throws IOException {
          return table.get(get);
        }

        @Override
        public Result[] getAll(List<Get> gets) throws IOException {
          return table.get(gets);
        }

        @Override
        public List<Result> scan(Scan scan) throws IOException {
          List<Result> rows = new ArrayList<>();
          try (ResultScanner scanner = table.getScanner(scan)) {
            for (Result row : scanner) {
              rows.add(row);
            }
          }
          return rows;
        }

        @Override
        public void put(List<Put> puts) throws IOException {
          if (mutator != null) {
            mutator.mutate(puts);
          } else if (puts.size() == 1) {
            table.put(puts.get(0));
          } else {
            table.put(puts);
          }
        }

        @Override
        public void close() throws IOException {
          if (mutator != null) {
            mutator.close();
          }
          table.close();
        }
      };
    }

    @Override
    public void close() throws IOException {
      connection.close();
    }
  }

  /** AsyncConnection, each handle waiting for its own futures. */
  private static final class Asynchronous extends Client {
    private final AsyncConnection connection;

    Asynchronous(AsyncConnection connection) {
      this.connection = connection;
    }

    @Override
    Accessor accessor(String name) {
      AsyncTable<?> table = connection.getTable(TableName.valueOf(name));
      return new Accessor() {
        @Override
        public Result get(Get get) throws IOException {
          return await(table.get(get));
        }

        @Override
        public Result[] getAll(List<Get> gets) throws IOException {
          return await(table.getAll(gets)).toArray(new Result[0]);
        }

        @Override
        public List<Result> scan(Scan scan) throws IOException {
          return await(table.scanAll(scan));
        }

        @Override
        public void put(List<Put> puts) throws IOException {
          if (puts.size() == 1) {
            await(table.put(puts.get(0)));
          } else {
            await(table.putAll(puts));
          }
        }

        @Override
        public void close() {}
      };
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException {
      try {
        return future.get();
      } catch (ExecutionException | CompletionException e) {
        if (e.getCause() instanceof IOException) {
          throw (IOException) e.getCause();
        }
        throw new IOException(e.getCause());
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      connection.close();
    }
  }
}
