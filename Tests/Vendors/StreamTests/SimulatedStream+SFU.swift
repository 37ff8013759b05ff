import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport

@testable import GatewayStream

// Calls with the gateway's own SFU.

extension SimulatedStream {
  /// Returns a guest's name and token.
  func guest(_ name: String) -> (user: String, token: String)? {
    let answer = fetch("POST", "/video/guest", body: #"{"user":{"id":"\#(name)"}}"#)
    guard let root = answer.flatMap({ try? JSONDocument.parse($0.body).root }), let user = root.at("user.id")?.string,
      let token = root.at("access_token")?.string
    else { return nil }
    return (user, token)
  }

  /// Returns the answer to a join over REST with that token; one without a `sub` of its own belongs to the user.
  func join(
    _ user: String, _ call: String = "default/standup", token: String? = nil, headers: [HTTPField]? = nil
  ) -> HTTPResponse? {
    fetch(
      "POST", "/video/call/\(call)/join", token: token ?? self.token(user), body: #"{"location":"FRA","create":true}"#,
      headers: headers)
  }

  /// Returns a client that has joined over REST and opened the SFU's socket, and has sent nothing yet.
  func openSFU() -> SimulatedPeer {
    space.dial(HTTPRequest(method: "GET", path: StreamSFUDialect.socketPath))
  }

  /// Returns a client that has joined over REST, and sent its JoinRequest as JSON text.
  ///
  /// - Parameters:
  ///   - session: The client's name for its participation.
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

  /// Returns the token in a join's answer.
  static func credentials(_ answer: HTTPResponse) -> String? {
    (try? JSONDocument.parse(answer.body).root)?.at("credentials.token")?.string
  }

  /// Returns the call as a server sees it.
  func call(_ call: String = "default/standup") -> JSONView? {
    let answer = fetch("GET", "/video/call/\(call)", token: serverToken)
    return (try? answer.map { try JSONDocument.parse($0.body).root })?.at("call")
  }

  /// Returns the session names of the call's participants.
  func participants(_ call: String = "default/standup") -> [String] {
    self.call(call)?.at("session.participants")?.elements?.compactMap { $0["user_session_id"]?.string } ?? []
  }
}

extension SimulatedPeer {
  /// The messages that an SFU client with JSON has received: each message's only member.
  var signals: [(name: String, body: JSONView)] {
    texts.compactMap { text in
      (try? JSONDocument.parse(text).root)?.members?.first.map { ($0.name, $0.value) }
    }
  }

  /// The names of these messages.
  var heard: [String] { signals.map(\.name) }

  /// Returns the last one with that name.
  func signal(_ name: String) -> JSONView? { signals.last { $0.name == name }?.body }
}

extension JSONView {
  /// Returns the value at a path of names and indices separated by dots.
  func at(_ path: String) -> JSONView? {
    path.split(separator: ".").reduce(Optional(self)) { view, part in
      if let index = Int(part) { return view?.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
      return view?[member: String(part)]
    }
  }
}

extension HTTPResponse {
  /// Returns the text at a path of names and indices separated by dots.
  func at(_ path: String) -> String? {
    (try? JSONDocument.parse(body, sizeMax: 1 << 20).root)?.at(path)?.string
  }
}

extension SimulatedPeer {
  /// The frames of all messages so far.
  var frames: [Frame] {
    events.compactMap { if case .message(let frame) = $0.event { frame } else { nil } }
  }

  /// The coordinator's name for the connection.
  var coordinatorID: String? {
    texts.first.flatMap { try? JSONDocument.parse($0, sizeMax: 1 << 20).root["connection_id"]?.string }
  }

  /// The types of the coordinator's events so far.
  var types: [String] {
    texts.compactMap { try? JSONDocument.parse($0, sizeMax: 1 << 20).root["type"]?.string }
  }
}
