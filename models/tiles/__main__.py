from models.tiles.train import main

main()
