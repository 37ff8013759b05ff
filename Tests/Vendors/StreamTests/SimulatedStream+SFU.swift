import GatewayCore
import GatewayJSON
import GatewaySimulator
import GatewayStream
import TestSupport

// Calls with the SFU's stand-in.

extension SimulatedStream {
  /// A guest's name and token.
  func guest(_ name: String) -> (user: String, token: String)? {
    let answer = fetch("POST", "/video/guest", body: #"{"user":{"id":"\#(name)"}}"#)
    guard let root = answer.flatMap({ try? JSONDocument.parse($0.body).root }), let user = root.at("user.id")?.string,
      let token = root.at("access_token")?.string
    else { return nil }
    return (user, token)
  }

  /// The answer to a join over REST with that token of a user's; one that has no `sub` of its own is the user's.
  func join(
    _ user: String, _ call: String = "default/standup", token: String? = nil, headers: [HTTPField]? = nil
  ) -> HTTPResponse? {
    fetch(
      "POST", "/video/call/\(call)/join", token: token ?? self.token(user), body: #"{"location":"FRA","create":true}"#,
      headers: headers)
  }

  /// A client that has joined over REST and opened the SFU's socket; it has said nothing yet.
  func openSFU() -> SimulatedPeer {
    space.dial(HTTPRequest(method: "GET", path: StreamSFUDialect.socketPath))
  }

  /// A client that has joined over REST, and sent its JoinRequest as JSON text.
  ///
  /// - Parameters:
  ///   - session: What the client calls its participation.
  ///   - credentials: The join's token; nil to join for one.
  ///   - details: The JoinRequest's `reconnectDetails`, as JSON.
  func enter(
    _ user: String, _ call: String = "default/standup", session: String, credentials: String? = nil,
    details: String = "{}"
  ) -> SimulatedPeer {
    let token = credentials ?? join(user, call).flatMap(Self.credentials) ?? ""
    let peer = openSFU()
    peer.say(
      #"{"joinRequest":{"token":"\#(token)","sessionId":"\#(session)","reconnectDetails":\#(details)}}"#)
    world.settle()
    return peer
  }

  /// The token of a join's answer.
  static func credentials(_ answer: HTTPResponse) -> String? {
    (try? JSONDocument.parse(answer.body).root)?.at("credentials.token")?.string
  }

  /// The call as a server sees it.
  func call(_ call: String = "default/standup") -> JSONView? {
    let answer = fetch("GET", "/video/call/\(call)", token: serverToken)
    return (try? answer.map { try JSONDocument.parse($0.body).root })?.at("call")
  }

  /// The names of the sessions of those who are in the call.
  func participants(_ call: String = "default/standup") -> [String] {
    self.call(call)?.at("session.participants")?.elements?.compactMap { $0["user_session_id"]?.string } ?? []
  }
}

extension SimulatedPeer {
  /// What a client of the SFU heard that speaks JSON: each message's only member.
  var signals: [(name: String, body: JSONView)] {
    texts.compactMap { text in
      (try? JSONDocument.parse(text).root)?.members?.first.map { ($0.name, $0.value) }
    }
  }

  /// The names of these messages.
  var heard: [String] { signals.map(\.name) }

  /// The last of that name.
  func signal(_ name: String) -> JSONView? { signals.last { $0.name == name }?.body }
}

extension JSONView {
  /// What stands at a path of names and indices with dots between them.
  func at(_ path: String) -> JSONView? {
    path.split(separator: ".").reduce(Optional(self)) { view, part in
      if let index = Int(part) { return view?.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
      return view?[member: String(part)]
    }
  }
}

extension HTTPResponse {
  /// The text at a path of names and indices with dots between them.
  func at(_ path: String) -> String? {
    (try? JSONDocument.parse(body, sizeMax: 1 << 20).root)?.at(path)?.string
  }
}

extension SimulatedPeer {
  /// The frames of all messages so far.
  var frames: [Frame] {
    events.compactMap { if case .message(let frame) = $0.event { frame } else { nil } }
  }

  /// What the coordinator called the connection.
  var coordinatorID: String? {
    texts.first.flatMap { try? JSONDocument.parse($0, sizeMax: 1 << 20).root["connection_id"]?.string }
  }

  /// The types of the coordinator's events so far.
  var types: [String] {
    texts.compactMap { try? JSONDocument.parse($0, sizeMax: 1 << 20).root["type"]?.string }
  }
}
