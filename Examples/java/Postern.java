import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A gateway as a child process, and a {@link Space} of it for each test: what Testcontainers is to a database. It ends
 * when its standard input does: with the process that started it, even if that is killed.
 */
final class Postern implements AutoCloseable {
  private final Process process;
  private final String controlUrl;

  private Postern(Process process, String controlUrl) {
    this.process = process;
    this.controlUrl = controlUrl;
  }

  /** Starts `postern serve`; the variable POSTERN names the program unless it is on the PATH. */
  static Postern start(String... flags) throws IOException {
    var program = System.getenv().getOrDefault("POSTERN", "postern");
    var command = new ArrayList<>(List.of(program, "serve", "--spaces", "--end-with-input", "--port", "0"));
    command.addAll(List.of("--control-port", "0", "--log-level", "error"));
    command.addAll(List.of(flags));
    var process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    // The one line on its standard output says where it is.
    var ready = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
    if (ready == null) throw new IOException(program + " ended before it was ready; see standard error");
    return new Postern(process, (String) Json.read(ready).get("control_url"));
  }

  /** Makes a space: `settings` are options of `postern serve`; `frozen`, `seed` and `idle_s` as in `POST /spaces`. */
  Space space(Map<String, ?> order) throws IOException, InterruptedException {
    return new Space(controlUrl, Control.ask("POST", controlUrl + "/spaces", order));
  }

  /** Ends the process, and waits for that. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    process.waitFor();
  }
}
