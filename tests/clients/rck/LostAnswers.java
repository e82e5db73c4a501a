// Changes made by Iceberg's Java client while the answer to each is lost once.
//
//   java -cp JARS LostAnswers.java LOSING_URI DIRECT_URI
//
// LOSING_URI is a proxy that hands every change on and loses its first answer, so that the client
// sends it again. Each scenario must see what it would see without losses, and DIRECT_URI, the
// server itself, must have made each change once. Prints a line for each scenario: "passed" or
// "failed", and its name.

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableCommit;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.view.View;

public final class LostAnswers {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.optional(1, "id", Types.LongType.get()));

  private interface Scenario {
    void run(Namespace namespace) throws Exception;
  }

  private final RESTCatalog losing = new RESTCatalog();
  private final RESTCatalog direct = new RESTCatalog();

  private LostAnswers(String losingUri, String directUri) {
    losing.initialize("losing", Map.of("uri", losingUri));
    direct.initialize("direct", Map.of("uri", directUri));
  }

  public static void main(String[] arguments) throws Exception {
    new LostAnswers(arguments[0], arguments[1]).runAll();
    System.exit(0);
  }

  // All at once, for each waits a second after every loss.
  private void runAll() throws Exception {
    Map<String, Scenario> scenarios = new LinkedHashMap<>();
    scenarios.put("namespace", this::namespaceIsMadeChangedAndDropped);
    scenarios.put("create", this::tableIsCreated);
    scenarios.put("staged create", this::stagedTableIsCreated);
    scenarios.put("commit", this::commitIsMadeOnce);
    scenarios.put("append", this::rowsAreAppendedOnce);
    scenarios.put("transaction", this::twoTablesAreChangedOnce);
    scenarios.put("rename", this::tableIsRenamed);
    scenarios.put("drop", this::tableIsDropped);
    scenarios.put("register", this::tableIsRegistered);
    scenarios.put("view", this::viewIsMadeReplacedRenamedAndDropped);
    scenarios.put("keyless", this::changeWithoutAKeyIsRefusedTheSecondTime);

    ExecutorService threads = Executors.newFixedThreadPool(scenarios.size());
    Map<String, Future<?>> runs = new LinkedHashMap<>();
    scenarios.forEach((name, scenario) -> runs.put(name, threads.submit(() -> {
      Namespace namespace = Namespace.of(name);
      direct.createNamespace(namespace);
      scenario.run(namespace);
      return null;
    })));
    for (Map.Entry<String, Future<?>> run : runs.entrySet()) {
      try {
        run.getValue().get();
        System.out.println("passed: " + run.getKey());
      } catch (ExecutionException failure) {
        System.out.println("failed: " + run.getKey());
        failure.getCause().printStackTrace(System.out);
      }
    }
  }

  private static TableIdentifier named(Namespace namespace, String name) {
    return TableIdentifier.of(namespace, name);
  }

  private TableMetadata stored(TableIdentifier table) {
    return ((BaseTable) direct.loadTable(table)).operations().current();
  }

  // The commits after the creation.
  private int commitsOf(TableIdentifier table) {
    return stored(table).previousFiles().size();
  }

  private void namespaceIsMadeChangedAndDropped(Namespace namespace) {
    Namespace inner = Namespace.of(namespace.level(0), "inner");
    // The client asks these collections whether they hold null, which those of Map.of forbid.
    losing.createNamespace(inner, Collections.singletonMap("gone", "x"));
    assertThat(losing.setProperties(inner, Collections.singletonMap("k", "w"))).isTrue();
    losing.removeProperties(inner, Collections.singleton("gone"));
    assertThat(direct.loadNamespaceMetadata(inner)).containsEntry("k", "w")
        .doesNotContainKey("gone");
    assertThat(losing.dropNamespace(inner)).isTrue();
    assertThat(direct.namespaceExists(inner)).isFalse();
  }

  private void tableIsCreated(Namespace namespace) {
    Table table = losing.createTable(named(namespace, "t"), SCHEMA);
    TableMetadata stored = stored(named(namespace, "t"));
    assertThat(table.uuid()).hasToString(stored.uuid());
    assertThat(((BaseTable) table).operations().current().metadataFileLocation())
        .isEqualTo(stored.metadataFileLocation());
    assertThat(stored.previousFiles()).isEmpty();
  }

  private void stagedTableIsCreated(Namespace namespace) {
    Transaction transaction = losing.newCreateTableTransaction(named(namespace, "t"), SCHEMA);
    transaction.newAppend().appendFile(dataFile("one")).commit();
    transaction.commitTransaction();
    assertThat(stored(named(namespace, "t")).snapshots()).hasSize(1);
    assertThat(stored(named(namespace, "t")).previousFiles()).isEmpty();
  }

  private void commitIsMadeOnce(Namespace namespace) {
    direct.createTable(named(namespace, "t"), SCHEMA);
    Table table = losing.loadTable(named(namespace, "t"));
    table.updateProperties().set("k", "v").commit();
    assertThat(commitsOf(named(namespace, "t"))).isEqualTo(1);
    table.updateSchema().addColumn("more", Types.StringType.get()).commit();
    assertThat(commitsOf(named(namespace, "t"))).isEqualTo(2);
    assertThat(((BaseTable) table).operations().current().metadataFileLocation())
        .isEqualTo(stored(named(namespace, "t")).metadataFileLocation());
  }

  private void rowsAreAppendedOnce(Namespace namespace) {
    direct.createTable(named(namespace, "t"), SCHEMA);
    Table table = losing.loadTable(named(namespace, "t"));
    table.newFastAppend().appendFile(dataFile("one")).commit();
    table.newFastAppend().appendFile(dataFile("two")).commit();
    assertThat(commitsOf(named(namespace, "t"))).isEqualTo(2);
    assertThat(direct.loadTable(named(namespace, "t")).currentSnapshot().summary())
        .containsEntry("total-data-files", "2").containsEntry("total-records", "20");
  }

  private static DataFile dataFile(String name) {
    return DataFiles.builder(PartitionSpec.unpartitioned()).withPath("file:/nowhere/" + name
        + ".parquet").withFileSizeInBytes(100).withRecordCount(10).build();
  }

  private void twoTablesAreChangedOnce(Namespace namespace) {
    List<TableIdentifier> names = List.of(named(namespace, "t"), named(namespace, "u"));
    losing.commitTransaction(names.stream().map(name -> {
      direct.createTable(name, SCHEMA);
      Table table = losing.loadTable(name);
      Transaction change = table.newTransaction();
      change.updateProperties().set("k", "v").commit();
      return TableCommit.create(name, ((BaseTable) table).operations().current(),
          ((BaseTransaction) change).currentMetadata());
    }).toList());
    for (TableIdentifier name : names) {
      assertThat(commitsOf(name)).isEqualTo(1);
      assertThat(stored(name).properties()).containsEntry("k", "v");
    }
  }

  private void tableIsRenamed(Namespace namespace) {
    direct.createTable(named(namespace, "t"), SCHEMA);
    losing.renameTable(named(namespace, "t"), named(namespace, "u"));
    assertThat(direct.listTables(namespace)).containsExactly(named(namespace, "u"));
  }

  private void tableIsDropped(Namespace namespace) {
    direct.createTable(named(namespace, "t"), SCHEMA);
    assertThat(losing.dropTable(named(namespace, "t"), false)).isTrue();
    assertThat(direct.listTables(namespace)).isEmpty();
    assertThat(losing.dropTable(named(namespace, "t"), false)).isFalse();
  }

  private void tableIsRegistered(Namespace namespace) {
    direct.createTable(named(namespace, "t"), SCHEMA);
    String location = stored(named(namespace, "t")).metadataFileLocation();
    direct.dropTable(named(namespace, "t"), false);
    Table table = losing.registerTable(named(namespace, "u"), location);
    assertThat(table.uuid()).hasToString(stored(named(namespace, "u")).uuid());
    assertThat(stored(named(namespace, "u")).metadataFileLocation()).isEqualTo(location);
  }

  private void viewIsMadeReplacedRenamedAndDropped(Namespace namespace) {
    View view = losing.buildView(named(namespace, "v")).withSchema(SCHEMA)
        .withDefaultNamespace(namespace).withQuery("spark", "SELECT 1 AS id").create();
    view.replaceVersion().withSchema(SCHEMA).withDefaultNamespace(namespace)
        .withQuery("spark", "SELECT 2 AS id").commit();
    losing.renameView(named(namespace, "v"), named(namespace, "w"));
    View stored = direct.loadView(named(namespace, "w"));
    assertThat(stored.uuid()).isEqualTo(view.uuid());
    assertThat(stored.history()).hasSize(2);
    assertThat(losing.dropView(named(namespace, "w"))).isTrue();
    assertThat(direct.listViews(namespace)).isEmpty();
  }

  // Shows that it is the key that helps: the proxy takes it from what goes to this namespace.
  private void changeWithoutAKeyIsRefusedTheSecondTime(Namespace namespace) {
    assertThatThrownBy(() -> losing.createTable(named(namespace, "t"), SCHEMA))
        .isInstanceOf(AlreadyExistsException.class);
    assertThat(direct.tableExists(named(namespace, "t"))).isTrue();
  }
}
