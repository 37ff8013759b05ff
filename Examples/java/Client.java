import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import postern.testing.Json;

/** The client under test: it logs in, and answers each refresh request with a new token. Replace it by yours. */
final class Client implements WebSocket.Listener, AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Callable<String> provider;
  private final boolean answers;
  private final StringBuilder text = new StringBuilder();
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  /** Completes when it is closed, with the code. */
  final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private WebSocket socket;

  private Client(Callable<String> provider, boolean answers) {
    this.provider = provider;
    this.answers = answers;
  }

  /** Connects and logs in; `provider` gives a token, as your application's server does. */
  static Client connect(String url, Callable<String> provider, boolean answers) throws Exception {
    var client = new Client(provider, answers);
    client.socket = HTTP.newWebSocketBuilder().buildAsync(URI.create(url), client).get(5, TimeUnit.SECONDS);
    client.say("connect");
    client.closed.thenAccept(
        code -> client.connected.completeExceptionally(new IllegalStateException("closed with " + code)));
    client.connected.get(5, TimeUnit.SECONDS);
    return client;
  }

  private void say(String type) throws Exception {
    socket.sendText(Json.write(Map.of("type", type, "token", provider.call())), true).get(5, TimeUnit.SECONDS);
  }

  @Override
  public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      var message = Json.read(text.toString());
      text.setLength(0);
      if ("connected".equals(message.get("type"))) connected.complete(null);
      if ("refresh_required".equals(message.get("type")) && answers) {
        // Not on this thread, which is the socket's: the provider is asked over HTTP.
        CompletableFuture.runAsync(() -> {
          try {
            say("refresh");
          } catch (Exception error) {
            closed.completeExceptionally(error);
          }
        });
      }
    }
    socket.request(1);
    return null;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
    closed.complete(code);
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable error) {
    closed.completeExceptionally(error);
  }

  @Override
  public void close() throws Exception {
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(5, TimeUnit.SECONDS);
  }
}
