import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct CallTypeTests {
  @Test(arguments: ["", "/join"])
  func `an undefined call type is refused until it is defined`(path: String) throws {
    let body = #"{"location":"FRA","create":true}"#
    let http = try StreamCallWorld()
    for asker in [StreamCallWorld.Asker.user("ann"), .server] {
      let named = #"{"location":"FRA","create":true,"user_id":"ann","data":{"created_by_id":"ann"}}"#
      let answer = try http.ask("POST", "call/meeting/a\(path)", named, as: asker)
      #expect(answer.status == 404 && answer.body.at("code")?.integer == 16)
      #expect(answer.body.at("message")?.string?.contains("audio_room, default, development, livestream") == true)
    }
    #expect(http.told() == [])
    for type in ["default", "audio_room", "livestream", "development"] {
      #expect(try http.ask("POST", "call/\(type)/a\(path)", body).status == 201)
    }
    for types in [["meeting"], nil] as [Set<String>?] {
      var policy = StreamCallPolicy()
      policy.types = types
      let answer = try StreamCallWorld(policy: policy).ask("POST", "call/meeting/a\(path)", body)
      #expect(answer.status == 201 && answer.body.at("call.settings.audio.mic_default_on")?.bool == true)
    }
  }

  @Test
  func `an unknown user named by a guest is refused`() throws {
    let http = try StreamCallWorld()
    let guest = StreamCallWorld.Asker.guest
    #expect(try http.ask("POST", "call/default/a", as: guest).status == 403, "guests make no calls of this type")
    let grant = #"{"grants":{"guest":["create-call","join-call","read-call"]}}"#
    #expect(try http.ask("PUT", "calltypes/default", grant, as: .server).status == 200)
    let members = #"{"data":{"members":[{"user_id":"bob"}]}}"#
    #expect(try http.ask("POST", "call/default/a", members, as: guest).status == 400)
    _ = try http.ask("GET", "call/default/none", as: .user("bob"))
    #expect(try http.ask("POST", "call/default/a", members, as: guest).status == 201)
  }

  @Test
  func `an unknown user is made or the call refused, as the policy says`() throws {
    let members = #"{"data":{"members":[{"user_id":"bob"},{"user_id":"eve"}]}}"#
    #expect(try StreamCallWorld().ask("POST", "call/default/a", members).status == 201)
    var policy = StreamCallPolicy()
    policy.makesUnknownUsers = false
    let http = try StreamCallWorld(policy: policy)
    _ = try http.ask("GET", "call/default/none", as: .user("bob"))
    let refused = try http.ask("POST", "call/default/a", members)
    #expect(refused.status == 400 && refused.body.at("code")?.integer == 4)
    let message = refused.body.at("message")?.string ?? ""
    #expect(message.contains("eve") && !message.contains("bob"))
    #expect(try http.ask("POST", "call/default/a", #"{"data":{"created_by_id":"zoe"}}"#, as: .server).status == 400)
    _ = try http.ask("GET", "call/default/none", as: .user("eve"))
    #expect(try http.ask("POST", "call/default/a", members).status == 201)
    let late = #"{"update_members":[{"user_id":"zoe"}]}"#
    #expect(try http.ask("POST", "call/default/a/members", late).status == 400)
    #expect(http.told() == ["call.created"])
  }
}
