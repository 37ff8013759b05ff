import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import postern.testing.Json;
import postern.testing.Postern;
import postern.testing.Space;

/**
 * Tests of a client, each with its own gateway:
 *
 * <pre>
 * jar="$(Kits/java/build)"
 * javac -cp "$jar" -d classes Examples/java/*.java
 * java -cp "classes:$jar" RefreshTest
 * </pre>
 *
 * With JUnit you need no `main` and `run`: start Postern in `@BeforeAll`, a space in `@BeforeEach`.
 */
final class RefreshTest {
  private static final Map<String, Object> USUAL = Map.of();
  private static int failures = 0;

  public static void main(String[] words) throws Exception {
    try (var postern = Postern.start()) {
      run(postern, "it asks its provider for one token when its own expires", USUAL, RefreshTest::refreshesOnce);
      run(postern, "it lives through a day that passes at once", Map.of("frozen", true), RefreshTest::livesThroughADay);
      var impatient = Map.of("settings", Map.of("refresh-timeout", "90s"));
      run(postern, "it is told 4000 when it does not answer in time", impatient, RefreshTest::missesTheTimeout);
      run(postern, "it stays when the answer to its token is lost", USUAL, RefreshTest::losesTheReply);
      run(postern, "it is not let in with a token that was revoked", USUAL, RefreshTest::isRevoked);
    }
    System.exit(failures == 0 ? 0 : 1);
  }

  private static void refreshesOnce(Space space) throws Exception {
    try (var client = Client.connect(space.url, () -> space.token("ann", 3600), true)) {
      var mark = space.mark();
      space.expire("ann");
      space.happens("refreshed", "ann", mark);
      expect(space.journal("provider_minted", "ann", mark).size(), 1);
    }
  }

  private static void livesThroughADay(Space space) throws Exception {
    try (var client = Client.connect(space.url, () -> space.token("ann", 8 * 3600), true)) {
      var moved = space.advance(86_400, 20_000);
      expect(moved.get("owing"), List.of());
      expect(space.journal("refreshed", "ann", 0).size(), 3);
      expect(space.journal("connection_opened", "", 0).size(), 1);
    }
  }

  private static void missesTheTimeout(Space space) throws Exception {
    var client = Client.connect(space.url, () -> space.token("ann", 3600), false);
    space.expire("ann");
    expect(space.advance(80, 0).get("answered"), false);
    space.advance(20, 0);
    expect(client.closed.get(5, TimeUnit.SECONDS), 4000);
  }

  private static void losesTheReply(Space space) throws Exception {
    try (var client = Client.connect(space.url, () -> space.token("ann", 3600), true)) {
      space.fail(Map.of("fault", "drop", "what", "reply:refresh", "times", 1));
      space.expire("ann");
      space.happens("refreshed", "ann", 0);
      var mark = space.mark();
      space.expire("ann");
      space.happens("refreshed", "ann", mark);
      expect(space.journal("faulted", "", 0).size(), 1);
      expect(space.journal("connection_opened", "", 0).size(), 1);
    }
  }

  private static void isRevoked(Space space) throws Exception {
    var token = space.token("ann", 3600);
    space.revoke("ann");
    try {
      Client.connect(space.url, () -> token, true);
      throw new AssertionError("it was let in");
    } catch (ExecutionException refused) {
      expect(space.journal("login_refused", "", 0).size(), 1);
    }
  }

  // The part of a test library that this needs.

  private interface Body {
    void run(Space space) throws Exception;
  }

  private static void run(Postern postern, String name, Map<String, ?> order, Body body) throws Exception {
    try (var space = postern.space(order)) {
      try {
        body.run(space);
        System.out.println("ok     " + name);
      } catch (Exception | AssertionError failure) {
        failures += 1;
        System.out.println("FAILED " + name + ": " + failure);
        for (var line : space.journal("", "", 0)) System.out.println("       " + Json.write(line));
      }
    }
  }

  private static void expect(Object found, Object wanted) {
    if (!Objects.equals(found, wanted)) throw new AssertionError(found + " where " + wanted + " is expected");
  }
}
