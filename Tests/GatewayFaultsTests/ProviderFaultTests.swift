import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

struct ProviderFaultTests {
  let faulty: FaultyGateway

  init() throws {
    faulty = try FaultyGateway()
    // Wait a while, so that no time is before the beginning.
    faulty.world.advance(by: .seconds(5))
  }

  @Test
  func `a slow token provider takes the ordered time for the ordered users`() throws {
    try faulty.fail(#"{"fault": "mint_slowly", "by_ms": 5000, "who": {"users": ["ann"]}, "for_s": 60}"#)
    let began = faulty.world.now
    _ = try faulty.minted(for: "bob")
    #expect(faulty.world.now == began)
    _ = try faulty.minted(for: "ann")
    #expect(faulty.world.now == began + .seconds(5))
    faulty.world.advance(by: .seconds(60))
    let later = faulty.world.now
    _ = try faulty.minted(for: "ann")
    #expect(faulty.world.now == later)
  }

  @Test
  func `a silent token provider never answers, and its requests end`() throws {
    try faulty.fail(#"{"fault": "mint_never", "times": 1}"#)
    #expect(faulty.mint("ann") == .failure(.timedOut))
    _ = try faulty.minted(for: "ann")
    faulty.world.advance(by: .seconds(900))
    let provider = faulty.simulated.space.space.provider
    #expect(faulty.world.ask { await provider.figures }?.inFlight == 0)
    #expect(faulty.lines(.providerAsked).count == 2 && faulty.lines(.providerMinted).count == 1)
  }

  @Test
  func `a throttled token provider makes the ordered number of tokens a second, one after the other`() throws {
    try faulty.fail(#"{"fault": "mint_rate", "per_s": 2}"#)
    let provider = faulty.simulated.space.space.provider
    let orders = (0..<10).map { number in
      faulty.simulated.space.start {
        try? await provider.mint(TokenOrder(user: UserID("user \(number)"), kind: .regular, life: nil, calls: nil))
      }
    }
    for done in 1...10 {
      #expect(orders.count { $0.value != nil } == done)
      faulty.world.advance(by: .milliseconds(500))
    }
  }

  @Test
  func `a token provider with a budget limits each user, and bans a user who continues`() throws {
    try faulty.fail(
      #"{"fault": "mint_limited", "per": "user", "limit": 2, "window_s": 60, "retry_after": [5, 9], "#
        + #""ban": {"after": 2, "within_s": 60, "for_s": 300}}"#)
    func status(_ user: String) throws -> Int { try #require(try faulty.mint(user)?.get()).status }
    #expect(try (0..<6).map { _ in try status("ann") } == [200, 200, 429, 429, 403, 403])
    #expect(try (0..<3).map { _ in try status("bob") } == [200, 200, 429])
    let answer = try #require(try faulty.mint("bob")?.get())
    let waits = answer.headers.filter { $0.name == "retry-after" }.compactMap { Int($0.value) }
    #expect(waits.count == 1 && (5...9).contains(waits[0]))
    faulty.world.advance(by: .seconds(301))
    #expect(try status("ann") == 200)
  }

  @Test(arguments: [
    #"{"fault": "mint_limited", "per": "user", "limit": 2}"#,
    #"{"fault": "mint_limited", "per": "house", "limit": 2, "window_s": 60}"#,
    #"{"fault": "mint_limited", "per": "user", "limit": 0, "window_s": 60}"#,
    #"{"fault": "mint_limited", "per": "user", "limit": 2, "window_s": 60, "status": 503}"#,
    #"{"fault": "mint_limited", "per": "user", "limit": 2, "window_s": 60, "retry_after": [9, 5]}"#,
    #"{"fault": "mint_limited", "per": "user", "limit": 2, "window_s": 60, "retry_after": "soon"}"#,
    #"{"fault": "mint_limited", "per": "user", "limit": 2, "window_s": 60, "ban": {"after": 2, "for_s": 3}}"#,
  ])
  func `a budget that is none is refused`(order: String) {
    #expect(throws: GatewayError.self) { try faulty.fail(order) }
  }

  @Test(arguments: [401, 429, 500, 503])
  func `a failing token provider answers with a status in the words of its route, and with Retry-After`(status: Int)
    throws
  {
    try faulty.fail(#"{"fault": "mint_refused", "status": \#(status), "retry_after_s": 7, "times": 2}"#)
    for _ in 0..<2 {
      let answer = try #require(try faulty.mint("ann")?.get())
      #expect(answer.status == status && answer.headers.filter { $0.name == "retry-after" }.map(\.value) == ["7"])
      #expect(String(decoding: answer.body, as: UTF8.self).contains(#""error""#))
    }
    _ = try faulty.minted(for: "ann")
    #expect(faulty.lines(.providerFailed).count == 2)
  }

  @Test(arguments: [
    #"{"fault": "mint_expired", "times": 1}"#, #"{"fault": "mint_expired", "by_s": 6, "times": 1}"#,
    #"{"fault": "mint_early", "times": 1}"#, #"{"fault": "mint_early", "by_s": 6, "times": 1}"#,
    #"{"fault": "mint_malformed", "times": 1}"#, #"{"fault": "mint_forged", "times": 1}"#,
  ])
  func `a token provider gives tokens that are refused at the login`(order: String) throws {
    try faulty.fail(order)
    let (spoilt, good) = (try faulty.minted(for: "ann"), try faulty.minted(for: "ann"))
    #expect(faulty.simulated.connect(spoilt).refusal == 401)
    #expect(faulty.simulated.connect(good).types == ["connected"])
  }

  @Test
  func `a token provider forges tokens with the right claims and an unknown signature`() throws {
    try faulty.fail(#"{"fault": "mint_forged"}"#)
    let token = try faulty.minted(for: "ann").token
    let right = faulty.simulated.token("ann").token
    #expect(token.split(separator: ".").count == 3 && token.split(separator: ".")[0] == right.split(separator: ".")[0])
    let claims = UnverifiedClaims(token)
    #expect(claims.text.contains(#""user_id":"ann""#) && claims.text.contains(#""exp":"#))
    let answer = try #require(
      try faulty.simulated.fetch("GET", "/v1/calls/default/a", token: Credentials(token: token))?.get())
    #expect(answer.status == 401 && String(decoding: answer.body, as: UTF8.self).contains("signature_invalid"))
    // A token without a signature is not an issued token either.
    let opaque = try faulty.minted(for: "ann", #","format":"opaque""#)
    #expect(faulty.simulated.connect(opaque).refusal == 401)
  }

  @Test(arguments: [429, 500, 503])
  func `a token provider sends Retry-After only if the order has one`(status: Int) throws {
    func retryAfter(_ more: String) throws -> [String] {
      try faulty.fail(#"{"fault": "mint_refused", "status": \#(status), "times": 1\#(more)}"#)
      let answer = try #require(try faulty.mint("ann")?.get())
      #expect(answer.status == status)
      return answer.headers.filter { $0.name == "retry-after" }.map(\.value)
    }
    #expect(try retryAfter("") == [])
    #expect(try retryAfter(#", "retry_after_s": 0"#) == ["0"])
    #expect(try retryAfter(#", "retry_after_s": 1.5"#) == ["2"])
  }

  @Test
  func `a token provider gives an empty token, or half of one, also an opaque one`() throws {
    try faulty.fail(#"{"fault": "mint_empty", "times": 2}"#)
    #expect(try faulty.minted(for: "ann").token.isEmpty)
    #expect(try faulty.minted(for: "ann", #","format":"opaque""#).token.isEmpty)
    #expect(try faulty.minted(for: "ann", #","format":"opaque""#).token.isEmpty == false)
  }

  @Test
  func `a token provider gives another user's token`() throws {
    try faulty.fail(#"{"fault": "mint_for_other", "user": "mallory", "who": {"users": ["ann"]}}"#)
    let peer = faulty.simulated.connect(try faulty.minted(for: "ann"))
    #expect(peer.texts.first?.contains(#""user_id":"mallory""#) == true)
  }

  @Test
  func `a token provider gives each user the same token again, and the client's refresh is refused`() throws {
    let (ann, bob) = (try faulty.minted(for: "ann"), try faulty.minted(for: "bob"))
    let peer = faulty.simulated.connect(ann)
    let fault = try faulty.fail(#"{"fault": "mint_same"}"#)
    faulty.world.advance(by: .seconds(1))
    #expect(try faulty.minted(for: "ann") == ann && faulty.minted(for: "bob") == bob)
    faulty.expire()
    peer.say(#"{"type":"refresh","token":"\#(ann.token)"}"#)
    faulty.world.settle()
    #expect(peer.types == ["connected", "refresh_required", "error"])
    #expect(peer.texts.last?.contains("token_not_renewed") == true)
    try faulty.mend(fault)
    #expect(try faulty.minted(for: "ann") != ann)
  }
}

/// The claims of a token as text, without verifying it.
private struct UnverifiedClaims {
  let text: String

  init(_ token: String) {
    let parts = token.split(separator: ".")
    text = parts.count == 3 ? String(decoding: Base64URL.decode(String(parts[1])) ?? [], as: UTF8.self) : ""
  }
}
