package postern.testing;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A gateway for one test, with its own users, keys, settings, port and clock; or a route to a gateway elsewhere, made with
 * `upstream` at `postern proxy --spaces`, which keeps that gateway's tokens and time. Every method is one request of the
 * control API, which Deploy/api/control.yaml describes.
 */
public final class Space implements AutoCloseable {
  private final String control;
  private final String httpUrl;
  /** The token endpoint, for clients that fetch their tokens themselves. */
  public final String tokenUrl;
  /** The vendors whose tokens have a form of their own. */
  private static final List<String> SCHEMES = List.of("sendbird", "sinch", "stream-video", "streem");
  /** The URL to which clients of the plain dialect connect; of a route, its URL without a path. */
  public final String url;
  /** The URLs to which clients of each dialect connect. */
  public final Map<String, Object> urls;
  public final String name;

  @SuppressWarnings("unchecked")
  Space(String controlUrl, Map<String, Object> made) {
    name = (String) made.get("name");
    urls = (Map<String, Object>) made.get("urls");
    control = controlUrl + "/spaces/" + name;
    httpUrl = (String) made.get("http_url");
    tokenUrl = httpUrl + "/v1/tokens";
    url = (String) (made.containsKey("upstream") ? made.get("url") : urls.get("plain"));
  }

  /** Returns a token of the space's own provider, as an application gets one from its server. */
  public String token(String user, long lifeSeconds) throws IOException, InterruptedException {
    var order = Map.of("user_id", user, "life_s", lifeSeconds);
    return (String) Control.ask("POST", tokenUrl, order).get("token");
  }

  /** Returns the variables that `postern ctl conform` gives to a client's process, for a ProcessBuilder. */
  public Map<String, String> environment(String user, String dialect) throws IOException, InterruptedException {
    var scheme = SCHEMES.contains(dialect) ? dialect : "plain";
    var token = (String) Control.ask("POST", tokenUrl, Map.of("user_id", user, "scheme", scheme)).get("token");
    return Map.of(
        "POSTERN_URL", (String) urls.get(dialect), "POSTERN_HTTP_URL", httpUrl, "POSTERN_TOKEN_URL", tokenUrl,
        "POSTERN_USER", user, "POSTERN_TOKEN", token, "POSTERN_TOKEN_SCHEME", scheme, "POSTERN_API_KEY", "test");
  }

  /** Expires the tokens of the user's sessions now. */
  public void expire(String user) throws IOException, InterruptedException {
    order("/users/" + escape(user) + "/expire", Map.of());
  }

  /** Revokes every token of the user issued until now. */
  public void revoke(String user) throws IOException, InterruptedException {
    order("/revocations", Map.of("user_id", user));
  }

  /** Sends a refresh request to the user's sessions. */
  public void askForRefresh(String user) throws IOException, InterruptedException {
    order("/users/" + escape(user) + "/refresh", Map.of());
  }

  /** Closes the user's sessions with a code. */
  public void disconnect(String user, int code, String reason) throws IOException, InterruptedException {
    order("/users/" + escape(user) + "/disconnect", Map.of("code", code, "reason", reason));
  }

  /** Sends a text message of yours to the user's sessions. */
  public void say(String user, String text) throws IOException, InterruptedException {
    order("/users/" + escape(user) + "/say", Map.of("text", text));
  }

  /** Sends a binary message of yours to the user's sessions. */
  public void say(String user, byte[] bytes) throws IOException, InterruptedException {
    order("/users/" + escape(user) + "/say", Map.of("base64", Base64.getEncoder().encodeToString(bytes)));
  }

  /** Orders a fault: `{"fault": "drop", "what": "reply:refresh", "times": 1}` loses one answer. */
  public void fail(Map<String, ?> fault) throws IOException, InterruptedException {
    order("/faults", fault);
  }

  /** Moves the space's time. `answered` tells whether all clients have answered their requests, `owing` which have not. */
  public Map<String, Object> advance(long seconds, long patienceMs) throws IOException, InterruptedException {
    return order("/clock/advance", Map.of("by_s", seconds, "patience_ms", patienceMs));
  }

  /** Sets the space's time of day: "2000-01-01T00:00:00Z". Sessions keep their deadlines. */
  Map<String, Object> setWall(String date) throws IOException, InterruptedException {
    return order("/clock", Map.of("wall", date));
  }

  /** Returns the lines after line `after`, of all kinds if `kind` is empty, of all users unless `user` is given. */
  @SuppressWarnings("unchecked")
  public List<Map<String, Object>> journal(String kind, String user, long after) throws IOException, InterruptedException {
    var query = "/journal?limit=1000&after=" + after;
    if (!kind.isEmpty()) query += "&kind=" + kind;
    if (!user.isEmpty()) query += "&user=" + escape(user);
    return (List<Map<String, Object>>) Control.ask("GET", control + query, null).get("lines");
  }

  /** Returns the number of the last line; later events have higher numbers. */
  public long mark() throws IOException, InterruptedException {
    return (Long) Control.ask("GET", control + "/journal?limit=1", null).get("last");
  }

  /** Waits at most five seconds of real time for a line of that kind about the user after line `after`. */
  public void happens(String kind, String user, long after) throws IOException, InterruptedException {
    var wait = new HashMap<String, Object>(Map.of("kind", kind, "user", user, "after", after));
    wait.put("within_ms", 5000);
    if (!(Boolean) order("/journal/await", wait).get("met")) throw new AssertionError("no " + kind + " within 5 s");
  }

  /** Ends it; connected clients are closed with 1001. */
  @Override
  public void close() throws IOException, InterruptedException {
    Control.ask("DELETE", control, null);
  }

  private Map<String, Object> order(String path, Map<String, ?> body) throws IOException, InterruptedException {
    return Control.ask("POST", control + path, body);
  }

  private static String escape(String user) {
    return URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
