import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlain
import GatewayWires
import TestSupport

/// Wires whose clients send no message to renew.
enum RenewalWires {
  /// The client renews by a request over HTTP, which names its connection.
  static let http = """
    { "wire": 1, "name": "keys", "connect": { "path": "/keys/socket", "query": { "access_token": "{{token}}" } },
      "hear": [
        { "when": { "json": { "/type": "hello" } }, "is": "logged_in", "take": { "session": "/session", "life_s": "/life" },
          "as": { "json": { "type": "hello", "session": "{{connection}}", "life": "{{life_s:number}}" } } },
        { "when": { "json": { "/type": "bye" } }, "is": "goodbye", "then": "renew", "as": { "json": { "type": "bye" } } }
      ],
      "ends": [{ "http": 401, "then": "renew" }, { "http": 403, "then": "give_up" }, { "code": 4401, "then": "renew" }],
      "refresh": { "how": "http", "lead": "20%", "grace": "2s",
        "request": { "path": "/keys/refresh", "query": { "session": "{{taken.session}}" },
          "headers": { "Authorization": "Bearer {{token}}" }, "take": { "life_s": "/expires_in" },
          "as": { "json": { "expires_in": "{{life_s:number}}" } } } },
      "serve": { "closes": { "expired": 4401 } } }
    """

  /// The same, where the answer brings the next token, and a form shows the present one.
  static let exchange = """
    { "wire": 1, "name": "exchange", "connect": { "path": "/exchange/socket", "query": { "access_token": "{{token}}" } },
      "hear": [{ "when": { "json": { "/type": "hello" } }, "is": "logged_in", "as": { "json": { "type": "hello" } } }],
      "ends": [{ "http": 401, "then": "renew" }, { "code": 4401, "then": "renew" }],
      "refresh": { "how": "http", "lead": "20%", "grace": "2s",
        "request": { "path": "/exchange/token", "form": { "grant": "a b", "token": "{{token}}" }, "take": { "token": "/next/token" },
          "as": { "json": { "next": { "token": "{{token}}" } } } } },
      "serve": { "closes": { "expired": 4401 } } }
    """

  /// The gateway sends the next token over the connection.
  static let pushed = """
    { "wire": 1, "name": "pushes", "connect": { "path": "/pushes/socket", "query": { "access_token": "{{token}}" } },
      "hear": [
        { "when": { "json": { "/type": "hello" } }, "is": "logged_in", "as": { "json": { "type": "hello" } } },
        { "when": { "json": { "/type": "token" } }, "is": "pushed", "take": { "token": "/refresh_token", "life_s": "/life" },
          "as": { "json": { "type": "token", "refresh_token": "{{token}}", "life": "{{life_s:number}}" } } }
      ],
      "ends": [{ "http": 401, "then": "renew" }, { "code": 4401, "then": "renew" }],
      "refresh": { "how": "pushed", "lead": "20%", "grace": "1s" },
      "serve": { "closes": { "expired": 4401 } } }
    """

  static func wire(_ text: String) throws -> WireDescription {
    try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
  }

  static func client(_ text: String) throws -> DescribedClientDialect {
    DescribedClientDialect(try wire(text), provider: PlainClientDialect())
  }

  /// A storm of clients of the wire against the gateway that plays it.
  static func storm(_ text: String, clients: Int = 30) throws -> VirtualStorm {
    var storm = try VirtualStorm()
    storm.plan.clients = clients
    storm.dialect = try client(text)
    storm.vendor = try ServedWireTests.settings(wire(text))
    return storm
  }
}
