internal import GatewayJSON

extension SendbirdThumbnail {
  /// Its members, as an upload's answer and messages have them.
  func writeMembers(to json: inout JSONWriter) {
    json.member("url", url)
    json.member("plain_url", url)
    json.member("width", width)
    json.member("height", height)
    json.member("real_width", realWidth)
    json.member("real_height", realHeight)
  }
}
