package postern.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A gateway as a child process or a container, and a {@link Space} of it for each test: what Testcontainers is to a
 * database. It ends when its standard input closes: with the process that started it, even if that is killed.
 */
public final class Postern implements AutoCloseable {
  private static final int PATIENCE_S = 30;

  private final Process process;
  private final String controlUrl;

  private Postern(Process process, String controlUrl) {
    this.process = process;
    this.controlUrl = controlUrl;
  }

  /**
   * Starts a gateway on free ports of loopback and waits until it is ready. The variable POSTERN names the program unless
   * it is on the PATH. The flags are further ones of `postern serve`.
   */
  public static Postern start(String... flags) throws IOException, InterruptedException {
    return start(List.of(System.getenv().getOrDefault("POSTERN", "postern")), flags);
  }

  /** Starts a container of an image with `docker`. */
  public static Postern startImage(String image, String... flags) throws IOException, InterruptedException {
    return startImage("docker", image, flags);
  }

  /**
   * Starts a container of an image with a runtime, `docker` or `podman`. The container has the network of this machine, so
   * that every space has a port on loopback, and no secret is needed.
   */
  public static Postern startImage(String runtime, String image, String[] flags)
      throws IOException, InterruptedException {
    return start(List.of(runtime, "run", "--rm", "--interactive", "--network", "host", image), flags);
  }

  /** Connects to a running gateway or proxy, started with `--spaces`. */
  public static Postern at(String controlUrl) {
    return new Postern(null, controlUrl);
  }

  private static Postern start(List<String> program, String... flags) throws IOException, InterruptedException {
    var command = new ArrayList<>(program);
    command.addAll(List.of("serve", "--spaces", "--end-with-input", "--port", "0", "--control-port", "0"));
    command.addAll(List.of("--drain-window", "0s", "--log-level", "error"));
    command.addAll(List.of(flags));
    var process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    // The one line on its standard output contains its URL.
    var line = CompletableFuture.supplyAsync(() -> {
      try {
        return output.readLine();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    });
    try {
      var ready = line.get(PATIENCE_S, TimeUnit.SECONDS);
      if (ready != null) return new Postern(process, (String) Json.read(ready).get("control_url"));
    } catch (IllegalArgumentException error) {
      process.destroyForcibly();
      throw new IOException(program.get(0) + " did not print the ready line; is it postern?", error);
    } catch (ExecutionException | TimeoutException error) {
      process.destroyForcibly();
      throw new IOException(program.get(0) + " was not ready within " + PATIENCE_S + " s; see standard error", error);
    }
    throw new IOException(program.get(0) + " ended before it was ready; see standard error");
  }

  /**
   * Creates a space: `settings` are options of `postern serve`; `frozen`, `seed` and `idle_s` as in `POST /spaces`. At a proxy
   * it is a route to `upstream`, whose `settings` are options of `postern proxy`.
   */
  public Space space(Map<String, ?> order) throws IOException, InterruptedException {
    return new Space(controlUrl, Control.ask("POST", controlUrl + "/spaces", order));
  }

  /** Ends the process and waits for that, 20 s at most. A gateway that was not started here goes on. */
  @Override
  public void close() throws IOException, InterruptedException {
    if (process == null) return;
    process.getOutputStream().close();
    if (!process.waitFor(20, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
  }
}
