@main struct Postern { static func main() {} }
