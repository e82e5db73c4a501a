// Flink's SQL on a small cluster in this process, for tests in another one.
//
//   java -cp JARS FlinkSql.java
//
// Each line of stdin is a JSON object, each answer a line of stdout, an object with `rows` or with
// `error`. What `do` asks for:
//
//   run     `statement`, which has ended before it is answered; answers its rows
//   start   `statement`, an INSERT that goes on by itself; answers the id of its job
//   status  what `job` is doing
//   await   the end of `job`
//   stop    `job`, with a savepoint, by which it has committed all that it has read
//
// The `mode` of a statement is "batch" or "streaming". They share nothing: each has catalogs of its
// own.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

public final class FlinkSql {
  private static final ObjectMapper JSON = new ObjectMapper();

  // One for all jobs: by itself Flink would start a cluster for each.
  private static final Map<String, String> CLUSTER = Map.of(
      // Threads of Hadoop's outlive the jobs that begin them.
      "classloader.check-leaked-classloader", "false",
      "jobmanager.bind-host", "127.0.0.1",
      "rest.address", "127.0.0.1",
      "rest.bind-address", "127.0.0.1",
      "rest.port", "0",
      "taskmanager.memory.managed.size", "64mb",
      "taskmanager.memory.network.max", "16mb",
      "taskmanager.memory.network.min", "16mb");

  private static final Map<String, String> JOBS = Map.of(
      "classloader.check-leaked-classloader", "false",
      "execution.target", "remote",
      "parallelism.default", "1",
      "rest.address", "127.0.0.1",
      "table.local-time-zone", "UTC");

  // By itself Flink would try a stream that fails again for ever, and say so in its log alone.
  private static final Map<String, String> STREAMS = Map.of(
      "execution.checkpointing.interval", "200ms",
      "restart-strategy.fixed-delay.attempts", "100",
      "restart-strategy.fixed-delay.delay", "500ms",
      "restart-strategy.type", "fixed-delay");

  private final TableEnvironment batch;
  private final TableEnvironment streaming;
  private final Map<String, JobClient> jobs = new HashMap<>();

  private FlinkSql(int port) {
    Configuration settings = Configuration.fromMap(JOBS);
    settings.setString("rest.port", String.valueOf(port));
    batch = TableEnvironment.create(
        EnvironmentSettings.newInstance().inBatchMode().withConfiguration(settings).build());
    STREAMS.forEach(settings::setString);
    streaming = TableEnvironment.create(
        EnvironmentSettings.newInstance().inStreamingMode().withConfiguration(settings).build());
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // what Flink prints is not an answer
    MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
        .setConfiguration(Configuration.fromMap(CLUSTER))
        .setNumTaskManagers(1)
        .setNumSlotsPerTaskManager(2)
        .build());
    cluster.start();
    FlinkSql sql = new FlinkSql(cluster.getRestAddress().get().getPort());
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      answers.println(JSON.writeValueAsString(sql.answer(JSON.readTree(line))));
      answers.flush();
    }
    System.exit(0);
  }

  private ObjectNode answer(JsonNode request) {
    ObjectNode answer = JSON.createObjectNode();
    try {
      carryOut(request, answer.putArray("rows"));
    } catch (Exception | LinkageError failure) {
      return JSON.createObjectNode().put("error", reasonsOf(failure));
    }
    return answer;
  }

  private void carryOut(JsonNode request, ArrayNode rows) throws Exception {
    String wanted = request.get("do").asText();
    switch (wanted) {
      case "run" -> run(request, rows);
      case "start" -> rows.addArray().add(start(request));
      case "status" -> rows.addArray().add(jobOf(request).getJobStatus().get().name());
      case "await" -> jobOf(request).getJobExecutionResult().get();
      case "stop" -> stop(jobOf(request));
      default -> throw new IllegalArgumentException("expected something to do, found " + wanted);
    }
  }

  private TableEnvironment environmentOf(JsonNode request) {
    return request.get("mode").asText().equals("batch") ? batch : streaming;
  }

  private JobClient jobOf(JsonNode request) {
    return jobs.get(request.get("job").asText());
  }

  private void run(JsonNode request, ArrayNode rows) throws Exception {
    String statement = request.get("statement").asText();
    try (CloseableIterator<Row> found = environmentOf(request).executeSql(statement).collect()) {
      while (found.hasNext()) {
        add(rows.addArray(), found.next());
      }
    }
  }

  private String start(JsonNode request) {
    String statement = request.get("statement").asText();
    JobClient job = environmentOf(request).executeSql(statement).getJobClient().orElseThrow();
    String id = job.getJobID().toHexString();
    jobs.put(id, job);
    return id;
  }

  private static void stop(JobClient job) throws InterruptedException, ExecutionException {
    String savepoints = "file://" + System.getProperty("java.io.tmpdir");
    job.stopWithSavepoint(false, savepoints, SavepointFormatType.CANONICAL).get();
    job.getJobExecutionResult().get();
  }

  private static void add(ArrayNode fields, Row row) {
    for (int i = 0; i < row.getArity(); i++) {
      Object value = row.getField(i);
      if (value instanceof Number || value instanceof Boolean) {
        fields.addPOJO(value);
      } else {
        fields.add(value == null ? null : value.toString());
      }
    }
  }

  private static String reasonsOf(Throwable failure) {
    StringBuilder reasons = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      reasons.append(cause).append('\n');
    }
    return reasons.toString();
  }
}
