import GatewayCore
import GatewayJSON
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct UserEventTests {
  private let change = #"{"users":[{"id":"bob","set":{"name":"Bob"}}]}"#

  @Test(arguments: [StreamDialect.Kind.video, .v2])
  func `changes of users are announced to themselves and to watchers of their calls, once`(kind: StreamDialect.Kind)
    throws
  {
    let http = try StreamCallWorld(listeningTo: ["default:a", "default:b"])
    let (bob, eve) = (try http.connect("bob", on: kind), try http.connect("eve", on: kind))
    for call in ["a", "b"] {
      _ = try http.ask(
        "POST", "call/default/\(call)/join", #"{"location":"FRA","create":true}"#, as: .user("bob"), on: bob)
    }
    #expect(try http.fetch("PATCH", "/users", change, as: .server).status == 200)
    let event = try http.event("user.updated", kind)
    #expect(
      event.at("user.name")?.string == "Bob" && event.at("user.online")?.bool == true && event.at("custom") != nil)
    #expect(http.told(kind).count { $0 == "user.updated" } == 1)
    #expect(http.heard(on: bob).last == "user.updated" && !http.heard(on: eve).contains("user.updated"))
    #expect(try http.fetch("POST", "/users/bob/deactivate", "{}", as: .server).status == 201)
    #expect(try http.event("user.deactivated", kind).at("user.deactivated_at") != nil)
    #expect(http.heard(on: bob).last == "user.deactivated", "before the connection is closed")
  }

  @Test
  func `each state of a user is announced, with what a deletion removes`() throws {
    let http = try StreamCallWorld()
    let ann = try http.connect("ann")
    for path in ["/users/ann/reactivate", "/users/reactivate"] {
      #expect(try http.fetch("POST", path, #"{"user_ids":["ann"]}"#, as: .server).status == 201)
    }
    #expect(http.heard(on: ann) == ["user.reactivated", "user.reactivated"])
    #expect(try http.fetch("POST", "/users/delete", #"{"user_ids":["ann"],"user":"hard"}"#, as: .server).status == 201)
    let event = try #require(http.events(on: ann).last)
    #expect(event["type"]?.string == "user.deleted" && event["hard_delete"]?.bool == true)
    for name in ["delete_user", "delete_messages", "delete_conversation", "mark_messages_deleted"] {
      #expect(event[member: name] != nil)
    }
  }

  @Test
  func `presence is announced to users who asked for it by a query`() throws {
    let http = try StreamCallWorld()
    let (ann, eve) = (try http.connect("ann"), try http.connect("eve"))
    _ = try http.ask("GET", "call/default/none", as: .user("bob"))
    let payload = [HTTPField("payload", #"{"presence":true,"filter_conditions":{"id":"bob"}}"#)]
    let found = try http.fetch("GET", "/users", as: .user("ann"), on: ann, query: payload)
    #expect(found.status == 200)
    let bob = try http.connect("bob")
    #expect(http.heard(on: ann) == ["user.presence.changed"])
    #expect(http.events(on: ann).last?.at("user.online")?.bool == true)
    http.disconnect(bob)
    #expect(http.heard(on: ann).count == 2 && http.events(on: ann).last?.at("user.online")?.bool == false)
    #expect(http.heard(on: eve).isEmpty)
  }

  @Test(arguments: [false, true])
  func `the end of a user's last socket is announced, also if it is the SFU's`(isLost: Bool) throws {
    let stream = try SimulatedStream()
    let (ann, bob) = (stream.connect(stream.token()), stream.connect(stream.token("bob"), as: "bob"))
    let media = stream.enter("bob", session: "b")
    let query = [
      HTTPField("connection_id", try #require(ann.coordinatorID)),
      HTTPField("payload", #"{"presence":true,"filter_conditions":{"id":"bob"}}"#),
    ]
    #expect(stream.fetch("GET", "/users", token: stream.token(), query: query)?.status == 200)
    func presences() -> [Bool?] {
      ann.texts.compactMap { try? JSONDocument.parse($0, sizeMax: 1 << 20).root }
        .filter { $0["type"]?.equals("user.presence.changed") == true }.map { $0.at("user.online")?.bool }
    }
    bob.close()
    stream.world.settle()
    #expect(presences().isEmpty && media.isOpen)
    if isLost { media.abort() } else { media.close() }
    stream.world.settle()
    #expect(presences() == [false])
    stream.world.advance(by: .seconds(30))
    _ = stream.enter("bob", session: "b")
    #expect(presences() == [false, true])
  }

  @Test
  func `connected users are online wherever they are shown, unless they want to be invisible`() throws {
    let http = try StreamCallWorld()
    func online(_ path: String) throws -> Bool? { try http.ask("GET", "call/default/a").body.at(path)?.bool }
    _ = try http.ask("POST", "call/default/a", #"{"data":{"members":[{"user_id":"bob"}]}}"#)
    #expect(try online("call.created_by.online") == false && online("members.0.user.online") == false)
    let bob = try http.connect("bob")
    #expect(try online("members.0.user.online") == true)
    let hidden = #"{"users":[{"id":"bob","set":{"invisible":true}}]}"#
    #expect(try http.fetch("PATCH", "/users", hidden, as: .server).status == 200)
    #expect(try online("members.0.user.online") == false)
    http.disconnect(bob)
  }

  @Test
  func `anonymous participants are counted for watchers, and the others named`() throws {
    let http = try StreamCallWorld()
    let join = #"{"location":"FRA","create":true}"#
    _ = try http.ask("POST", "call/default/a/join", join, on: http.connect("ann"))
    #expect(!http.told().contains("call.session_participant_count_updated"))
    _ = try http.ask("POST", "call/default/a/join", join, as: .anonymous(calls: ["default:a"]))
    let event = try http.event("call.session_participant_count_updated")
    #expect(event.at("anonymous_participant_count")?.integer == 1)
    #expect(event.at("participants_count_by_role.user")?.integer == 1)
  }
}
