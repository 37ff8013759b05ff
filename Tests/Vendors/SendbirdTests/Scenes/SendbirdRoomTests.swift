import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdRoomTests {
  @Test
  func `users created by name alone are limited for one address in a minute, and existing ones can always log in`()
    throws
  {
    let sendbird = try SimulatedSendbird { $0.newUsersPerMinuteMax = 3 }
    for user in ["a", "b", "c"] {
      #expect(sendbird.connect(["user_id": user]).last("user_id", of: "LOGI") == user)
    }
    let fourth = sendbird.connect(["user_id": "d"])
    #expect(fourth.commands.count == 1 && fourth.last("retry_after", of: "BUSY") == "3")
    #expect(sendbird.user("d") == nil)
    #expect(sendbird.connect(["user_id": "a"]).last("user_id", of: "LOGI") == "a")
    let token = sendbird.mint("e")
    #expect(sendbird.connect(["user_id": "e", "access_token": token]).last("user_id", of: "LOGI") == "e")
    let login = sendbird.fetch("POST", "/v3/sdk/users/d/authentication", body: "{}")
    #expect(login.status == 429 && login.member("code") == "500910")
    #expect(login.member("message") == "Too many requests.")
    sendbird.world.advance(by: .seconds(20))
    #expect(sendbird.connect(["user_id": "d"]).last("user_id", of: "LOGI") == "d")
  }

  @Test
  func `a full table of users refuses another with its own error, and does not affect the others`() async throws {
    let now = WallTime(seconds: 1)
    let directory = SendbirdDirectory(FaultyStore(), on: SerialTestExecutor(), usersMax: 100, bytesMax: 10_000)
    let ann = UserID("ann")
    _ = try await directory.getOrCreateUser(ann, at: now)
    let long = String(repeating: "x", count: 6_000)
    _ = try await directory.updateUser(ann, at: now) { $0.metadata["a"] = long }
    let error = await #expect(throws: GatewayError.self) {
      try await directory.updateUser(ann, at: now) { $0.metadata["b"] = long }
    }
    #expect(error?.isSame(as: .tooMany) == true)
    #expect(try await directory.user(ann, at: now)?.metadata.count == 1)
    let bob = SendbirdUser(UserID("bob"), nickname: long, createdAt: now)
    await #expect(throws: GatewayError.self) { try await directory.createUser(bob, at: now) }
    _ = try await directory.updateUser(ann, at: now) { $0.metadata = [:] }
    _ = try await directory.createUser(bob, at: now)
    try await directory.deleteUser(UserID("bob"), at: now)
    _ = try await directory.createUser(bob, at: now)
    #expect(SendbirdError(GatewayError.tooMany.because("no room")).code == 400_203)
  }
}

@Suite(.onNodes)
struct SendbirdNameTests {
  /// One letter as one scalar and as two, which are canonically equivalent.
  private static let (one, two) = ("\u{e9}", "e\u{301}")

  @Test(arguments: [(one, two), (two, one)])
  func `a token for one spelling of a name does not admit the other`(owner: String, other: String) throws {
    let sendbird = try SimulatedSendbird()
    let access = String(repeating: "ab", count: 20)
    sendbird.setAccessToken(access, of: owner)
    let session = sendbird.sessionToken(owner)
    for token in [access, session] {
      let right = sendbird.connect(["user_id": owner, "access_token": token])
      #expect(right.last("user_id", of: "LOGI")?.utf8.elementsEqual(owner.utf8) == true)
      #expect(sendbird.connect(["user_id": other, "access_token": token]).last("code", of: "LOGI") == "400302")
      let key = right.sessionKey
      #expect(sendbird.connect(["user_id": other, "key": key]).last("code", of: "LOGI") == "400303")
      let own = "/v3/users/\(PercentEncoding.encode(other))/unread_message_count"
      #expect(sendbird.fetch("GET", own, ["session-key": key]).code == 400_108)
    }
    // The other is a different user, without a token.
    #expect(sendbird.connect(["user_id": other]).last("user_id", of: "LOGI")?.utf8.elementsEqual(other.utf8) == true)
  }

  @Test
  func `both spellings are keys of their own in metadata, and sort by their bytes`() throws {
    let sendbird = try SimulatedSendbird()
    let body = #"{"user_id":"ann","metadata":{"\#(Self.one)":"1","\#(Self.two)":"2","K":"3","\#u{212A}":"4"}}"#
    let made = sendbird.serve("POST", "/v3/users", body)
    #expect(
      made.member("metadata")?.utf8.elementsEqual(
        #"{"K":"3","\#(Self.two)":"2","\#(Self.one)":"1","\#("\u{212A}")":"4"}"#.utf8) == true)
    let path = "/v3/users/ann/metadata/\(PercentEncoding.encode(Self.two))"
    #expect(sendbird.serve("DELETE", path).code == 0)
    let left = sendbird.serve("GET", "/v3/users/ann").member("metadata")
    #expect(left?.utf8.elementsEqual(#"{"K":"3","\#(Self.one)":"1","\#("\u{212A}")":"4"}"#.utf8) == true)
  }

  @Test
  func `a channel is not found under a letter that only looks like its own`() throws {
    let sendbird = try SimulatedSendbird { $0.applicationID = "K" }
    sendbird.serve("POST", "/v3/users", #"{"user_id":"ann"}"#)
    sendbird.serve(
      "POST", "/v3/group_channels", #"{"channel_url":"K","user_ids":["ann"],"custom_type":"\#(Self.one)"}"#)
    let ann = sendbird.connect(["ai": "K", "user_id": "ann"])
    sendbird.say(#"MESG{"channel_url":"\#("\u{212A}")","message":"x","req_id":"1"}"#, ann)
    #expect(ann.last("code", of: "EROR") == "900500")
    let list = "/v3/users/ann/my_group_channels?show_empty=true&custom_types="
    #expect(sendbird.serve("GET", list + PercentEncoding.encode(Self.two)).member("channels") == "[]")
    #expect(sendbird.serve("GET", list + PercentEncoding.encode(Self.one)).member("channels") != "[]")
    #expect(sendbird.connect(["ai": "\u{212A}", "user_id": "ann"]).last("code", of: "LOGI") == "400304")
  }
}
