// Iceberg's own JdbcCatalog as one of several writers of a catalog file.
//
//   java JdbcWriter.java FILE CATALOG WAREHOUSE NAME create TABLE...
//   java JdbcWriter.java FILE CATALOG WAREHOUSE NAME write SECONDS TABLE...
//
// Prints for each table, as one JSON object, how many of its commits were acknowledged.
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.types.Types;

public class JdbcWriter {
  private static final Namespace SHARED = Namespace.of("shared");

  public static void main(String[] args) throws Exception {
    Map<String, String> properties = new HashMap<>();
    properties.put("uri", "jdbc:sqlite:" + args[0] + "?busy_timeout=60000");
    properties.put("warehouse", args[2]);
    properties.put("jdbc.schema-version", "V1");
    try (JdbcCatalog catalog = new JdbcCatalog()) {
      catalog.setConf(new org.apache.hadoop.conf.Configuration());
      catalog.initialize(args[1], properties);
      List<String> rest = List.of(args).subList(5, args.length);
      if (args[4].equals("create")) {
        create(catalog, rest);
      } else {
        double seconds = Double.parseDouble(rest.get(0));
        write(catalog, args[3], seconds, rest.subList(1, rest.size()));
      }
    }
  }

  private static void create(JdbcCatalog catalog, List<String> tables) {
    for (String table : tables) {
      catalog.buildTable(TableIdentifier.of(SHARED, table),
              new Schema(Types.NestedField.optional(1, "id", Types.LongType.get())))
          .withProperty("write.metadata.previous-versions-max", "1000000")
          .create();
    }
  }

  private static void write(JdbcCatalog catalog, String name, double seconds, List<String> tables) {
    Map<String, Integer> done = new TreeMap<>();
    Random random = new Random(1);
    long end = System.nanoTime() + (long) (seconds * 1e9);
    while (System.nanoTime() < end) {
      String table = tables.get(random.nextInt(tables.size()));
      int turn = done.getOrDefault(table, 0) + 1;
      try {
        Table loaded = catalog.loadTable(TableIdentifier.of(SHARED, table));
        loaded.updateProperties().set(name, Integer.toString(turn)).commit();
        done.put(table, turn);
      } catch (CommitFailedException lost) {
        // Another writer was faster, more often than the client retries: the next turn.
      }
    }
    System.out.println(done.entrySet().stream()
        .map(entry -> "\"" + entry.getKey() + "\": " + entry.getValue())
        .collect(Collectors.joining(", ", "{", "}")));
  }
}
