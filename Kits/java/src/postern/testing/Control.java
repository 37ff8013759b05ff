package postern.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;

/** Requests with JSON in both directions; a refused one throws the gateway's message. */
final class Control {
  private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Control() {}

  static Map<String, Object> ask(String method, String url, Map<String, ?> body)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url));
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request.header("content-type", "application/json");
      request.method(method, HttpRequest.BodyPublishers.ofString(Json.write(body)));
    }
    var answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() / 100 == 2) return Json.read(answer.body());
    throw new IOException(method + " " + url + ": " + answer.statusCode() + " " + answer.body());
  }
}
