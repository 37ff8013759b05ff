package import GatewayCore
package import GatewayFleet
internal import GatewayRuntime
internal import Testing

// Clients that reconnect by themselves, under any sequence of events.

extension Client {
  private static func events(_ fetch: UInt32) -> [ClientEvent] {
    var welcome = Welcome()
    welcome.key = Credentials(token: "key")
    return [
      .start, .opened, .dialFailed(.timedOut), .dialFailed(.refused(status: 503)), .heard(.connected(nil, welcome)),
      .heard(.refreshRequired(timeout: nil, with: .anyToken)), .heard(.refreshRequired(timeout: nil, with: .newToken)),
      .heard(.refreshed), .heard(.keyRenewed(Client.new)), .heard(.error(number: 40, name: "40")),
      .heard(.error(number: 400_302, name: "400302")), .heard(.error(number: 400_309, name: "400309")),
      .heard(.error(number: 2, name: "2")), .heard(.busy(retryAfter: .seconds(1))), .heard(.alive),
      .closed(1000), .closed(4000), .closed(nil), .wakeUp, .wakeUp, .wakeUp,
      .fetched(number: fetch, .token(Client.new)), .fetched(number: fetch, .token(Client.new)),
      .fetched(number: fetch, .busy(status: 503, retryAfter: nil)), .fetched(number: fetch, .refused(status: 403)),
      .fetched(number: fetch, .denied(number: 400_302)), .fetched(number: fetch, .failed("timed_out")),
    ]
  }

  /// Checks that a client with these habits has one socket at a time, sends nothing without one, and that its records
  /// add up. A client without a reconnect habit reconnects because the plan says so, if `reconnects`.
  package static func checkChaos(_ behaviour: Behaviour, _ habits: ClientHabits, reconnects: Bool = false) {
    var chance = SeededGenerator(seed: 1)
    for _ in 0..<300 {
      var client = Client(behaviour, reconnects: reconnects, habits: habits)
      _ = client.on(.start)
      var isDialling = false
      var hasSocket = false
      var logins = 0
      var ends = 0
      for step in 0..<60 {
        client.now = client.now + .milliseconds(Int64(chance.nextShare() * 8000))
        let events = Self.events(client.session.fetchNumber)
        let event = step == 59 ? .stop : events[Int(chance.nextShare() * Double(events.count))]
        // The transport keeps its own rules: a socket opens once after a connect, sends and receives while open, and
        // ends once.
        switch event {
        case .opened, .dialFailed:
          guard isDialling else { continue }
          isDialling = false
          hasSocket = event == .opened
        case .heard: guard hasSocket else { continue }
        case .closed:
          guard hasSocket else { continue }
          hasSocket = false
        default: break
        }
        for effect in client.on(event) {
          switch effect {
          case .dial:
            #expect(!isDialling && !hasSocket, "two sockets at once")
            isDialling = true
          case .send, .ping: #expect(hasSocket, "\(effect) without a socket")
          case .record(.connected): logins += 1
          case .record(.interrupted), .record(.lost), .record(.left): ends += 1
          default: break
          }
        }
        #expect(client.session.hasSocket == (isDialling || hasSocket))
        if case .ended = client.session.phase { #expect(client.session.nextDeadline == nil) }
      }
      if hasSocket {
        for effect in client.on(.closed(1000)) where effect == .record(.left) { ends += 1 }
      }
      #expect(logins == ends, "as many connections end as begin")
    }
  }
}
