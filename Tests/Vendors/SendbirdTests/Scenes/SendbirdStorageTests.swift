import GatewayCore
import GatewayKit
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdStorageTests {
  private let sendbird: SimulatedSendbird
  private let ann: SimulatedPeer

  init() throws {
    sendbird = try SimulatedSendbird { $0.fileBytesMax = 2_000 }
    for user in ["ann", "bob"] { sendbird.serve("POST", "/v3/users", #"{"user_id":"\#(user)"}"#) }
    sendbird.serve("POST", "/v3/group_channels", #"{"channel_url":"talk","user_ids":["ann","bob"]}"#)
    ann = sendbird.connect(["user_id": "ann"])
  }

  private func part(_ disposition: String, _ text: String, type: String? = nil) -> String {
    "--b 1\r\nContent-Disposition: form-data; \(disposition)\r\n"
      + (type.map { "Content-Type: \($0)\r\n" } ?? "") + "\r\n\(text)\r\n"
  }

  private func send(_ method: String, _ target: String, _ parts: String..., key: Bool = true) -> HTTPResponse {
    var headers = ["content-type": #"multipart/form-data; boundary="b 1""#, "host": "chat.example:8080"]
    if key { headers["session-key"] = ann.sessionKey } else { headers["api-token"] = SimulatedSendbird.apiToken }
    return sendbird.fetch(method, target, headers, body: parts.joined() + "--b 1--\r\n")
  }

  @Test
  func `a file is stored, and served to holders of its address, with its type and nothing that runs`() throws {
    let kept = send(
      "POST", "/v3/storage/file", part(#"name="channel_url""#, "talk"), part(#"name="thumbnail1""#, "100,100"),
      part(#"name="file"; filename="a b.svg""#, "<svg/>\r\n--b", type: "image/svg+xml"))
    #expect(kept.code == 0 && kept.member("file_size") == "11" && kept.member("require_auth") == "false")
    let url = try #require(kept.member("url"))
    let thumbnail = try #require(kept.member("thumbnails"))
    #expect(thumbnail.contains(#""width":100,"height":100,"real_width":100"#) && thumbnail.contains(url))
    #expect(url.hasPrefix("http://chat.example:8080/v3/storage/file/") && url.hasSuffix("/a%20b.svg"))
    let served = sendbird.fetch("GET", String(url.dropFirst("http://chat.example:8080".count)))
    #expect(served.status == 200 && String(decoding: served.body, as: UTF8.self) == "<svg/>\r\n--b")
    #expect(served.header("content-type") == "image/svg+xml")
    #expect(served.header("content-security-policy") == "default-src 'none'; sandbox")
    #expect(sendbird.fetch("GET", "/v3/storage/file/none/x").code == 400_201)
  }

  @Test
  func `a file message, a profile image and a cover come with their bytes`() throws {
    let file = part(#"name="file"; filename="x.txt""#, "hello", type: "text/plain")
    let sent = send(
      "POST", "/v3/group_channels/talk/messages", part(#"name="message_type""#, "FILE"),
      part(#"name="user_id""#, "bob"), part(#"name="mentioned_user_ids""#, #"["ann"]"#), file, key: false)
    let shown = try #require(sent.member("file"))
    #expect(sent.code == 0 && shown.contains(#""name":"x.txt""#) && shown.contains(#""size":5"#))
    #expect(ann.last("url", of: "FILE")?.hasPrefix("http://chat.example:8080/v3/storage/file/") == true)
    #expect(ann.last("mentioned_user_ids", of: "FILE") == #"["ann"]"#)
    let image = part(#"name="profile_file"; filename="me.png""#, "png", type: "image/png")
    let changed = send("PUT", "/v3/users/ann", part(#"name="nickname""#, "true"), image)
    #expect(changed.member("nickname") == "true" && changed.member("profile_url")?.hasSuffix("/me.png") == true)
    let cover = part(#"name="cover_file"; filename="c.png""#, "png")
    #expect(send("PUT", "/v3/group_channels/talk", cover).member("cover_url")?.hasSuffix("/c.png") == true)
    let made = send(
      "POST", "/v3/group_channels", part(#"name="user_ids""#, #"["bob"]"#), part(#"name="is_distinct""#, "true"), cover)
    #expect(made.member("is_distinct") == "true" && made.member("cover_url")?.hasSuffix("/c.png") == true)
  }

  /// The head of a PNG, and of a JPEG with a segment before its frame.
  private static let pictures: [(type: String, bytes: [UInt8])] = [
    (
      "image/png",
      [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 2, 128, 0, 0, 1, 224, 8]
    ),
    ("image/gif", Array("GIF89a".utf8) + [128, 2, 224, 1, 0]),
    ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 17, 8, 1, 224, 2, 128, 3]),
  ]

  @Test
  func `a picture has its size, and one that is incomplete or false has none`() {
    for (type, bytes) in Self.pictures {
      #expect(SendbirdPicture(bytes).map { [$0.width, $0.height] } == [640, 480], "\(type)")
      for count in 0..<bytes.count - 2 { _ = SendbirdPicture(Array(bytes.prefix(count))) }
    }
    #expect(SendbirdPicture([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xC0]) == nil, "a segment without a length")
    #expect(SendbirdPicture([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF]) == nil)
    #expect(SendbirdPicture(Array("GIF89a".utf8) + [0, 0, 0, 0]) == nil && SendbirdPicture([]) == nil)
  }

  @Test
  func `requested thumbnails of a picture come with the upload and with the message, and no others`() throws {
    let picture = part(#"name="file"; filename="a.png""#, "no picture, says its type", type: "image/png")
    let kept = send("POST", "/v3/storage/file", part(#"name="thumbnail1""#, "320,240"), picture)
    let listed = try #require(kept.member("thumbnails"))
    let url = try #require(kept.member("url"))
    sendbird.say(
      #"FILE{"channel_url":"talk","url":"\#(url)","name":"a.png","type":"image/png","size":3,"thumbnails":\#(listed),"req_id":"1"}"#,
      ann)
    #expect(ann.last("thumbnails", of: "FILE") == listed)
    let sent = send(
      "POST", "/v3/group_channels/talk/messages", part(#"name="message_type""#, "FILE"),
      part(#"name="thumbnail1""#, "32,24"), part(#"name="thumbnail2""#, "16,12"), picture)
    let shown = try #require(sent.member("file"))
    #expect(shown.contains(#""width":32,"height":24"#) && shown.contains(#""width":16,"height":12"#))
    let text = part(#"name="file"; filename="a.txt""#, "hello", type: "text/plain")
    #expect(send("POST", "/v3/storage/file", part(#"name="thumbnail1""#, "1,1"), text).member("thumbnails") == "[]")
    for size in ["0,1", "1", "1,2,3", "-1,1", "x,y", "99999,1", "9999999999999999999,1"] {
      #expect(send("POST", "/v3/storage/file", part(#"name="thumbnail1""#, size), picture).code == 400_111, "\(size)")
    }
    for thumbnails in ["7", "\"\"", "[7]", "[{\"width\":1e9}]", "[]"] {
      sendbird.say(
        #"FILE{"channel_url":"talk","url":"http://x","thumbnails":\#(thumbnails),"req_id":"2"}"#, ann)
    }
    #expect(ann.isOpen && ann.last("thumbnails", of: "FILE") == "[]")
  }

  @Test
  func `the oldest file is removed for a new one, and one that is too large is refused`() throws {
    func put(_ size: Int) -> HTTPResponse {
      send("POST", "/v3/storage/file", part(#"name="file"; filename="f""#, String(repeating: "x", count: size)))
    }
    let paths = (0..<3).compactMap { _ in put(300).member("url").map { $0.dropFirst("http://chat.example:8080".count) }
    }
    let found = paths.map { sendbird.fetch("GET", String($0)).status == 200 }
    #expect(found == [false, true, true])
    #expect(put(2_000).code == 400_110)
    #expect(sendbird.fetch("GET", String(paths[2])).status == 200)
  }

  @Test(arguments: [
    "", "--b 1", "--b 1--\r\n", "--b 1\r\n\r\n\r\n--b 1--",
    "--b 1\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx",
    "--b 1\r\nno colon\r\n\r\nx\r\n--b 1--\r\n",
    "--b 1x\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b 1--",
    "--b 1\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nno file name\r\n--b 1--\r\n",
  ])
  func `a body that is no form is refused`(body: String) {
    let headers = ["content-type": "multipart/form-data; boundary=\"b 1\"", "session-key": ann.sessionKey]
    #expect([400_105, 400_403].contains(sendbird.fetch("POST", "/v3/storage/file", headers, body: body).code))
    let profile = sendbird.fetch("PUT", "/v3/users/ann", headers, body: body)
    #expect([0, 400_403].contains(profile.code))
  }

  @Test
  func `a form is read as it was written, whatever is between its boundaries`() throws {
    #expect(SendbirdMultipart.boundary(of: "multipart/form-data; charset=x; boundary=AaB03x") == "AaB03x")
    #expect(SendbirdMultipart.boundary(of: #"Multipart/Form-Data;boundary="a;b""#) == "a;b")
    for type in [
      "", "application/json", "multipart/form-data", "multipart/mixed; boundary=x", "multipart/form-data; boundary=",
    ] {
      #expect(SendbirdMultipart.boundary(of: type) == nil, "\(type)")
    }
    let body =
      "preamble\r\n--x \r\nContent-Disposition: form-data; name=\"a\"; filename=\"q;r\"\r\n\r\n\r\n--x\r\n"
      + "content-disposition: form-data; name=b\r\n\r\na--x\r\n\r\n--x--epilogue"
    let parts = try #require(SendbirdMultipart(Array(body.utf8), boundary: "x")).parts
    #expect(parts.map(\.name) == ["a", "b"] && parts[0].fileName == "q;r" && parts[0].bytes.isEmpty)
    #expect(String(decoding: parts[1].bytes, as: UTF8.self) == "a--x\r\n")
    let many = String(repeating: "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n", count: 65) + "--x--"
    #expect(SendbirdMultipart(Array(many.utf8), boundary: "x") == nil)
  }

  @Test
  func `a body of the same half delimiter again and again is searched byte by byte, and each part found`() throws {
    let head = "Content-Disposition: form-data; name=a\r\n\r\n"
    for (boundary, filling) in [("x", "\r"), ("aab", "\r\n--aa"), ("aba", "\r\n--ab"), ("aba", "\r\n--aab")] {
      let content = String(repeating: filling, count: 300_000 / filling.utf8.count)
      let body = "--\(boundary)\r\n\(head)\(content)\r\n--\(boundary)--"
      let parts = try #require(SendbirdMultipart(Array(body.utf8), boundary: boundary)).parts
      #expect(parts.count == 1 && parts[0].bytes == Array(content.utf8), "\(boundary)")
    }
  }

  @Test(.long)
  func `a hostile form causes no trap, and its parts are within it`() {
    var source = HostileBytes(
      seed: 25,
      examples: [
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nabc\r\n--x\r\n"
          + "Content-Disposition: form-data; name=tags\r\n\r\n1,2\r\n--x--\r\n"
      ], words: ["--x", "\r\n--x", "--x--", "\r\n\r\n", "name=", ";"])
    var read = 0
    for _ in 0..<4_000 {
      let bytes = source.next()
      guard let form = SendbirdMultipart(bytes, boundary: "x") else { continue }
      read += 1
      #expect(form.parts.reduce(0) { $0 + $1.bytes.count } < bytes.count)
    }
    #expect(read > 200)
  }
}
