// What a Trino server starts with: java -cp JARS TrinoServer.java VERSION. Its configuration is
// etc/config.properties in the current directory.

public final class TrinoServer {
  public static void main(String[] arguments) {
    new io.trino.server.Server().start(arguments[0]);
  }
}
